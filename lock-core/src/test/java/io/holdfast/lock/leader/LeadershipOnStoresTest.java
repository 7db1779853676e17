package io.holdfast.lock.leader;

import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.quorum.QuorumLockStore;
import io.holdfast.lock.quorum.QuorumNode;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Leadership on each kind of store. */
class LeadershipOnStoresTest {

    @Nested
    class InMemory extends LeadershipContract {

        private final InMemoryLockStore store = new InMemoryLockStore();

        @Override
        LockStore store() {
            return store;
        }
    }

    /** It has no queue. */
    @Nested
    class OnQuorum extends LeadershipContract {

        private final List<QuorumNode> nodes = IntStream.range(0, 3)
                .mapToObj(i -> new QuorumNode("node-" + i, new InMemoryLockStore()))
                .toList();

        @Override
        LockStore store() {
            return new QuorumLockStore(nodes, Duration.ofHours(2));
        }
    }

    private abstract static class OnRedis extends LeadershipContract {

        private final TestRedis.Client driver;
        private final List<RedisLockStore> stores = new ArrayList<>();
        private final List<RedisConnectionFactory> connections = new ArrayList<>();

        private final RedisTopology topology;

        OnRedis(RedisTopology topology, TestRedis.Client driver) {
            this.topology = topology;
            this.driver = driver;
        }

        @Override
        LockStore store() {
            RedisConnectionFactory factory = topology.connect(driver);
            connections.add(factory);
            RedisLockStore store = new RedisLockStore(factory, TestRedis.PATIENT);
            stores.add(store);
            return store;
        }

        @Override
        @AfterEach
        void end() {
            super.end();
            stores.forEach(RedisLockStore::close);
            connections.forEach(TestRedis::destroy);
        }
    }

    @Nested
    class OnJedis extends OnRedis {
        OnJedis() {
            super(RedisTopology.STANDALONE, TestRedis.Client.JEDIS);
        }
    }

    @Nested
    class OnTemplate extends OnRedis {
        OnTemplate() {
            super(RedisTopology.STANDALONE, TestRedis.Client.TEMPLATE);
        }
    }

    @Nested
    class OnSentinel extends OnRedis {
        OnSentinel() {
            super(RedisTopology.SENTINEL, TestRedis.Client.JEDIS);
        }
    }

    @Tag("full")
    @Nested
    class OnSentinelWithTemplate extends OnRedis {
        OnSentinelWithTemplate() {
            super(RedisTopology.SENTINEL, TestRedis.Client.TEMPLATE);
        }
    }

    @Tag("full")
    @Nested
    class OnCluster extends OnRedis {
        OnCluster() {
            super(RedisTopology.CLUSTER, TestRedis.Client.JEDIS);
        }
    }
}
