package io.holdfast.lock.testing;

import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.resps.AccessControlLogEntry;

/**
 * The kinds of Redis that applications have, one real one of each for all tests of a JVM: it starts with the first use and
 * ends with the JVM. Use keys of your own; do no harm. None of them takes a server for failed because the machine is slow.
 */
public enum RedisTopology {
    STANDALONE {
        @Override
        public RedisConnectionFactory connect(TestRedis.Client client) {
            return client.connect(TestRedis.shared().port());
        }

        @Override
        public Jedis administrator(String key) {
            return at(TestRedis.shared().port());
        }
    },

    /** Three masters, each with a replica, where the user may do nothing but lock. */
    CLUSTER {
        @Override
        public RedisConnectionFactory connect(TestRedis.Client client) {
            return client.connect(Cluster.SHARED.address(), DocumentedUser.NAME, DocumentedUser.PASSWORD);
        }

        @Override
        public Jedis administrator(String key) {
            return Cluster.masterOf(key).connect();
        }

        @Override
        public List<String> refusals() {
            return Cluster.SHARED.nodes().stream()
                    .map(node -> node.ask(RedisTopology::refusals))
                    .flatMap(List::stream)
                    .toList();
        }

        @Override
        public boolean onOneServer(String key, String another) {
            return Cluster.masterOf(key) == Cluster.masterOf(another);
        }

        @Override
        public boolean isCluster() {
            return true;
        }
    },

    /** A master and two replicas, watched by three sentinels, where the user may do nothing but lock. */
    SENTINEL {
        @Override
        public RedisConnectionFactory connect(TestRedis.Client client) {
            return client.connect(Sentinels.SHARED.address(), DocumentedUser.NAME, DocumentedUser.PASSWORD);
        }

        @Override
        public Jedis administrator(String key) {
            return Sentinels.SHARED.master().connect();
        }
    },

    /** TLS with a certificate that only these clients trust, and a password. */
    TLS {
        @Override
        public RedisConnectionFactory connect(TestRedis.Client client) {
            return tls().connect(client);
        }

        @Override
        public Jedis administrator(String key) {
            Jedis jedis = at(tls().port());
            jedis.auth(tls().password());
            return jedis;
        }
    },

    /** A user that may do what the reference says, and nothing else. */
    MINIMAL_USER {
        @Override
        public RedisConnectionFactory connect(TestRedis.Client client) {
            return client.connect(MinimalUser.SERVER.port(), DocumentedUser.NAME, DocumentedUser.PASSWORD);
        }

        @Override
        public Jedis administrator(String key) {
            return at(MinimalUser.SERVER.port());
        }
    },

    /** Not started by the tests; with the user of the URL, who need not be an administrator. */
    GIVEN {
        @Override
        public RedisConnectionFactory connect(TestRedis.Client client) {
            return GivenRedis.get().connect(client);
        }

        @Override
        public Jedis administrator(String key) {
            return GivenRedis.get().connect(key);
        }

        @Override
        public boolean onOneServer(String key, String another) {
            return GivenRedis.get().masterOf(key).equals(GivenRedis.get().masterOf(another));
        }

        @Override
        public boolean isCluster() {
            return GivenRedis.get().isCluster();
        }
    };

    private static final Duration NEVER = Duration.ofMinutes(5);

    /** An application's connections. */
    public abstract RedisConnectionFactory connect(TestRedis.Client client);

    /** A connection that may do all, to the server which has that key; to be closed. */
    public abstract Jedis administrator(String key);

    /** Whether one server has both keys. */
    public boolean onOneServer(String key, String another) {
        return true;
    }

    /** Whether keys are spread over several servers. */
    public boolean isCluster() {
        return false;
    }

    /** What users wanted to do and may not. */
    public List<String> refusals() {
        try (Jedis administrator = administrator("any")) {
            return refusals(administrator);
        }
    }

    private static List<String> refusals(Jedis administrator) {
        return administrator.aclLog().stream()
                .map(AccessControlLogEntry::toString)
                .toList();
    }

    /** For what is not the same over any connection; skips the test if redis-server was built without TLS. */
    public static TlsRedis tls() {
        return Tls.SHARED.orElseThrow(TlsRedis::skipped);
    }

    private static void permit(List<ServerNode> servers, List<String> rules) {
        servers.forEach(server -> server.run(jedis -> DocumentedUser.permit(jedis, DocumentedUser.withScan(rules))));
    }

    private static Jedis at(int port) {
        return TestRedis.administrator(port);
    }

    private static final class Cluster {
        private static final RedisClusterProcesses SHARED = start();
        private static final Map<ServerNode, BitSet> SLOTS = SHARED.slots();

        private static RedisClusterProcesses start() {
            RedisClusterProcesses cluster = RedisClusterProcesses.start(3, 1, NEVER);
            permit(cluster.nodes(), DocumentedUser.rules("in a cluster"));
            if (TestRedis.version() >= DocumentedUser.SHARDED_FROM) {
                permit(cluster.nodes(), DocumentedUser.rules("in a cluster of Redis 7 or later, or Valkey"));
            }
            return cluster;
        }

        private static ServerNode masterOf(String key) {
            int slot = RedisClusterProcesses.slot(key);
            return SLOTS.keySet().stream()
                    .filter(master -> SLOTS.get(master).get(slot))
                    .findAny()
                    .orElseThrow();
        }
    }

    private static final class Sentinels {
        private static final RedisSentinelProcesses SHARED = start();

        private static RedisSentinelProcesses start() {
            RedisSentinelProcesses all = RedisSentinelProcesses.start(2, NEVER);
            permit(all.servers(), DocumentedUser.rules());
            return all;
        }
    }

    private static final class Tls {
        private static final Optional<TlsRedis> SHARED = TlsRedis.startIfSupported();
    }

    private static final class MinimalUser {
        private static final RedisServerProcess SERVER = start();

        private static RedisServerProcess start() {
            RedisServerProcess server = RedisServerProcess.start();
            try (Jedis administrator = at(server.port())) {
                DocumentedUser.permit(administrator, DocumentedUser.withScan(DocumentedUser.rules()));
            }
            return server;
        }
    }
}
