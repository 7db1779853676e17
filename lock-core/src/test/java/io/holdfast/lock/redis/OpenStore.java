package io.holdfast.lock.redis;

import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;
import java.util.HashMap;
import java.util.Map;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** A store, and the application's connections that it was made from. */
record OpenStore(RedisConnectionFactory application, RedisLockStore store) {

    private record Place(
            RedisTopology topology, TestRedis.Client client, RedisLockSettings settings, boolean unknownFactory) {}

    private static final Map<Place, OpenStore> OPEN = new HashMap<>();

    /** The same for all tests of a class. */
    static RedisLockStore of(RedisTopology topology, TestRedis.Client client) {
        return of(topology, client, TestRedis.PATIENT);
    }

    static RedisLockStore of(RedisTopology topology, TestRedis.Client client, RedisLockSettings settings) {
        return of(new Place(topology, client, settings, false));
    }

    /** By a connection factory of which nothing is known. */
    static RedisLockStore byUnknownFactory(RedisTopology topology, TestRedis.Client client) {
        return of(new Place(topology, client, TestRedis.PATIENT, true));
    }

    private static RedisLockStore of(Place place) {
        return OPEN.computeIfAbsent(place, OpenStore::open).store();
    }

    private static OpenStore open(Place place) {
        RedisConnectionFactory known = place.topology().connect(place.client());
        RedisConnectionFactory application = place.unknownFactory() ? TestRedis.hide(known) : known;
        return new OpenStore(application, new RedisLockStore(application, place.settings()));
    }

    static void closeAll() {
        OPEN.values().forEach(OpenStore::close);
        OPEN.clear();
    }

    private void close() {
        store.close();
        TestRedis.destroy(application);
    }
}
