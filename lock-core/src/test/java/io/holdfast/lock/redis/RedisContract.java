package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.testing.InvalidAfterPause;
import io.holdfast.lock.testing.RedisTime;
import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.contract.LockStoreContract;
import io.holdfast.lock.testing.contract.OptionalCall;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.Jedis;

/** The contract on one kind of Redis, by one driver. */
@TestInstance(Lifecycle.PER_METHOD)
@ExtendWith(InvalidAfterPause.class)
abstract class RedisContract extends LockStoreContract {

    private final RedisTopology topology;
    private final TestRedis.Client client;

    private final RedisLockSettings settings;
    private final ScriptCodec layout;

    RedisContract(RedisTopology topology, TestRedis.Client client) {
        this(topology, client, TestRedis.PATIENT);
    }

    RedisContract(RedisTopology topology, TestRedis.Client client, RedisLockSettings settings) {
        this.topology = topology;
        this.client = client;
        this.settings = settings;
        this.layout = new ScriptCodec(settings);
    }

    @AfterAll
    static void closeStores() {
        OpenStore.closeAll();
    }

    @Override
    public LockStore store() {
        return OpenStore.of(topology, client, settings);
    }

    @Override
    public void pass(LockKey key, Duration time) {
        pass(name(key), time);
        pass(name(key) + ":data", time);
        pass(new String(layout.waits(), StandardCharsets.UTF_8), time);
    }

    private void pass(String name, Duration time) {
        try (Jedis jedis = topology.administrator(name)) {
            RedisTime.pass(jedis, name, time);
        }
    }

    /** The slots of a cluster may move apart at any time, so no step covers several of them. */
    @Override
    public Set<OptionalCall> offers() {
        Set<OptionalCall> offered = EnumSet.allOf(OptionalCall.class);
        if (topology.isCluster()) {
            offered.remove(OptionalCall.ACQUIRE_ALL_IN_ONE_STEP);
        }
        return offered;
    }

    /** Lettuce may have sent it before. */
    @Override
    public ReleaseReply notHolder() {
        return client == TestRedis.Client.TEMPLATE ? ReleaseReply.GONE : ReleaseReply.NOT_HOLDER;
    }

    /** Messages from different servers may overtake each other. */
    @Override
    public LockKey beside(LockKey key, String suffix) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> LockKey.of(key + suffix + i))
                .filter(other -> topology.onOneServer(name(key), name(other)))
                .findFirst()
                .orElseThrow();
    }

    private String name(LockKey key) {
        return new String(layout.bytes(key), StandardCharsets.UTF_8);
    }
}
