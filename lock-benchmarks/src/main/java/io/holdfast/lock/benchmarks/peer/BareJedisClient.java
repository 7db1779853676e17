package io.holdfast.lock.benchmarks.peer;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;
import redis.clients.jedis.params.SetParams;

/**
 * The floor: {@code SET NX PX}, and a script that deletes the key if it still holds the caller's value, as the Redis
 * documentation describes it. One connection from the pool for each call. No renewal, no reentry, no token.
 *
 * <p>A caller that does not get the lock sleeps for a random 0.5 to 1.5 ms and tries again, which is what such locks do.
 */
final class BareJedisClient implements PeerClient {

    private static final String DELETE_IF_MINE =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
    private static final long MIN_SLEEP_NANOS = 500_000;
    private static final long MAX_SLEEP_NANOS = 1_500_000;

    private final JedisPool pool;
    private final String script;
    private final String clientId = UUID.randomUUID().toString();
    private final AtomicLong sequence = new AtomicLong();
    private final SetParams ifFree;

    BareJedisClient(int port, long leaseMillis) {
        JedisPoolConfig config = new JedisPoolConfig();
        config.setMaxTotal(Peer.CONNECTIONS);
        config.setMaxIdle(Peer.CONNECTIONS);
        config.setJmxEnabled(false);
        this.pool = new JedisPool(config, Factories.HOST, port);
        this.ifFree = SetParams.setParams().nx().px(leaseMillis);
        try (Jedis jedis = pool.getResource()) {
            this.script = jedis.scriptLoad(DELETE_IF_MINE);
        }
    }

    @Override
    public Latch latch(String key) {
        return new Lock(key);
    }

    @Override
    public void close() {
        pool.close();
    }

    private final class Lock implements Latch {

        private final String key;
        private String owner = "";

        private Lock(String key) {
            this.key = key;
        }

        @Override
        public void lock() {
            owner = clientId + ':' + sequence.incrementAndGet();
            while (!tryOnce()) {
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(MIN_SLEEP_NANOS, MAX_SLEEP_NANOS));
            }
        }

        private boolean tryOnce() {
            try (Jedis jedis = pool.getResource()) {
                return jedis.set(key, owner, ifFree) != null;
            }
        }

        @Override
        public void unlock() {
            try (Jedis jedis = pool.getResource()) {
                Object deleted = jedis.evalsha(script, List.of(key), List.of(owner));
                if (!Long.valueOf(1).equals(deleted)) {
                    throw new IllegalStateException("The lock " + key + " was lost");
                }
            }
        }
    }
}
