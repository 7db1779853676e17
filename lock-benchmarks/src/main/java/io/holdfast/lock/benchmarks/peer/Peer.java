package io.holdfast.lock.benchmarks.peer;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.RemoteLock;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** The implementations that are compared, with leases of the same length. */
public enum Peer {
    HOLDFAST("Holdfast") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return HoldfastClient.onOneServer(servers.only(), leaseMillis, LockTemplate::getLock);
        }
    },
    HOLDFAST_LETTUCE("Holdfast beside Lettuce") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return HoldfastClient.besideLettuce(servers.only(), leaseMillis);
        }
    },
    HOLDFAST_FAIR("Holdfast, fair") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return HoldfastClient.onOneServer(
                    servers.only(), leaseMillis, (locks, request) -> locks.getLock(request.fair(true)));
        }
    },
    HOLDFAST_MULTI("Holdfast, 100 keys together") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return HoldfastClient.onOneServer(servers.only(), leaseMillis, Peer::ofManyKeys);
        }
    },
    HOLDFAST_CLUSTER("Holdfast, cluster of 3") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return HoldfastClient.onCluster(servers, leaseMillis, LockTemplate::getLock);
        }
    },
    HOLDFAST_CLUSTER_MULTI("Holdfast, cluster of 3, 100 keys together") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return HoldfastClient.onCluster(servers, leaseMillis, Peer::ofManyKeys);
        }
    },
    HOLDFAST_CLUSTER_ONE_BY_ONE("Holdfast, cluster of 3, 100 keys one after another") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return HoldfastClient.onClusterOneByOne(servers, leaseMillis, Peer::ofManyKeys);
        }
    },
    HOLDFAST_QUORUM("Holdfast, quorum of 5") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return HoldfastClient.onQuorum(servers, leaseMillis);
        }
    },
    FLOOR("bare Jedis") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return new BareJedisClient(servers.only(), leaseMillis);
        }
    },
    FLOOR_SCRIPTS("bare Jedis, Holdfast's scripts") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return ScriptClient.onJedis(servers.only(), leaseMillis);
        }
    },
    HOLDFAST_ON_JEDIS("Holdfast on the application's Jedis") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return HoldfastClient.onApplications(Factories.jedis(servers.only()), leaseMillis);
        }
    },
    TEMPLATE_ON_JEDIS("RedisTemplate on Jedis, Holdfast's scripts") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return ScriptClient.onTemplate(Factories.jedis(servers.only()), leaseMillis);
        }
    },
    HOLDFAST_ON_LETTUCE("Holdfast on the application's Lettuce") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return HoldfastClient.onApplications(Factories.lettuce(servers.only()), leaseMillis);
        }
    },
    TEMPLATE_ON_LETTUCE("RedisTemplate on Lettuce, Holdfast's scripts") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return ScriptClient.onTemplate(Factories.lettuce(servers.only()), leaseMillis);
        }
    },
    REDISSON("Redisson") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return new RedissonLockClient(servers.only(), leaseMillis, RedissonClient::getLock);
        }
    },
    REDISSON_FAIR("Redisson, fair") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return new RedissonLockClient(servers.only(), leaseMillis, RedissonClient::getFairLock);
        }
    },
    REDISSON_FENCED("Redisson, fenced") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return new RedissonLockClient(servers.only(), leaseMillis, RedissonClient::getFencedLock);
        }
    },
    REDISSON_MULTI("Redisson, 100 keys together") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return new RedissonLockClient(
                    servers.only(),
                    leaseMillis,
                    (redisson, key) -> redisson.getMultiLock(
                            manyKeys(key).map(redisson::getLock).toArray(RLock[]::new)));
        }
    },
    SPRING("Spring Integration") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return new SpringIntegrationClient(servers.only(), leaseMillis);
        }
    },
    LOCK4J("Lock4j") {
        @Override
        public PeerClient open(Servers servers, long leaseMillis) {
            return new Lock4jClient(servers.only(), leaseMillis);
        }
    };

    /**
     * The maximum number of connections for calls in a client's pool: the default of Redisson and of Holdfast, and one for each thread in
     * the rows with many threads.
     */
    static final int CONNECTIONS = 64;

    private static final int MANY_KEYS = 100;

    private final String title;

    Peer(String title) {
        this.title = title;
    }

    private static RemoteLock ofManyKeys(LockTemplate locks, LockRequest request) {
        return locks.getLock(
                request.keys(manyKeys(request.key().value()).map(LockKey::of).toList()));
    }

    private static Stream<String> manyKeys(String key) {
        return IntStream.range(0, MANY_KEYS).mapToObj(i -> key + '-' + i);
    }

    /** {@return its name in tables} */
    public String title() {
        return title;
    }

    /**
     * {@return a client}
     *
     * @param servers Redis on this machine, or a proxy in front of it
     * @param leaseMillis how long a lock survives without renewal
     */
    public abstract PeerClient open(Servers servers, long leaseMillis);
}
