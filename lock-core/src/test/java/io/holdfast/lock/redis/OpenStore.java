package io.holdfast.lock.redis;

import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;
import java.util.HashMap;
import java.util.Map;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** A store, and the application's connections that it was made from. */
record OpenStore(RedisConnectionFactory application, RedisLockStore store) {

    private record Place(RedisTopology topology, TestRedis.Client client, RedisLockSettings settings) {}

    private static final Map<Place, OpenStore> OPEN = new HashMap<>();

    /** The same for all tests of a class. */
    static RedisLockStore of(RedisTopology topology, TestRedis.Client client) {
        return of(topology, client, TestRedis.PATIENT);
    }

    static RedisLockStore of(RedisTopology topology, TestRedis.Client client, RedisLockSettings settings) {
        return OPEN.computeIfAbsent(
                        new Place(topology, client, settings), place -> open(topology.connect(client), settings))
                .store();
    }

    private static OpenStore open(RedisConnectionFactory application, RedisLockSettings settings) {
        return new OpenStore(application, new RedisLockStore(application, settings));
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
