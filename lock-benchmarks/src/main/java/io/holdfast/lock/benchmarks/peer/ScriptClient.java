package io.holdfast.lock.benchmarks.peer;

import io.holdfast.lock.redis.RedisLockSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;

/**
 * The scripts of Holdfast and their arguments, sent without Holdfast: what is left of the difference is what Holdfast itself costs. No
 * renewal, no reentry. A caller that does not get the lock sleeps, as {@link BareJedisClient} does.
 */
final class ScriptClient implements PeerClient {

    private static final String INCLUDE = "-- include ";
    private static final int RETENTION_MILLIS = 600_000;
    private static final long MIN_SLEEP_NANOS = 500_000;
    private static final long MAX_SLEEP_NANOS = 1_500_000;

    /** A way to Redis. */
    private interface Scripts extends AutoCloseable {

        String acquire(String key, List<String> arguments);

        String release(String key, List<String> arguments);

        @Override
        void close();
    }

    private final Scripts scripts;
    private final long leaseMillis;
    private final String clientId = UUID.randomUUID().toString();
    private final AtomicLong sequence = new AtomicLong();

    private ScriptClient(Scripts scripts, long leaseMillis) {
        this.scripts = scripts;
        this.leaseMillis = leaseMillis;
    }

    /** One connection from a pool for each call. */
    static ScriptClient onJedis(int port, long leaseMillis) {
        JedisPoolConfig config = new JedisPoolConfig();
        config.setMaxTotal(Peer.CONNECTIONS);
        config.setMaxIdle(Peer.CONNECTIONS);
        config.setJmxEnabled(false);
        return new ScriptClient(new Bare(new JedisPool(config, Factories.HOST, port)), leaseMillis);
    }

    /** A {@link StringRedisTemplate} on the connection factory of an application. */
    static ScriptClient onTemplate(RedisConnectionFactory factory, long leaseMillis) {
        return new ScriptClient(new Template(factory), leaseMillis);
    }

    private static String source(String name) {
        try {
            return new ClassPathResource("/io/holdfast/lock/redis/" + name + ".lua")
                    .getContentAsString(StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.startsWith(INCLUDE) ? source(line.substring(INCLUDE.length())) : line)
                    .collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Bare implements Scripts {

        private final JedisPool pool;
        private final String acquire;
        private final String release;

        Bare(JedisPool pool) {
            this.pool = pool;
            try (Jedis jedis = pool.getResource()) {
                this.acquire = jedis.scriptLoad(source("acquire"));
                this.release = jedis.scriptLoad(source("release"));
            }
        }

        @Override
        public String acquire(String key, List<String> arguments) {
            return run(acquire, key, arguments);
        }

        @Override
        public String release(String key, List<String> arguments) {
            return run(release, key, arguments);
        }

        private String run(String script, String key, List<String> arguments) {
            try (Jedis jedis = pool.getResource()) {
                return (String) jedis.evalsha(script, List.of(key), arguments);
            }
        }

        @Override
        public void close() {
            pool.close();
        }
    }

    private static final class Template implements Scripts {

        private final RedisConnectionFactory factory;
        private final StringRedisTemplate template;
        private final RedisScript<String> acquire = new DefaultRedisScript<>(source("acquire"), String.class);
        private final RedisScript<String> release = new DefaultRedisScript<>(source("release"), String.class);

        Template(RedisConnectionFactory factory) {
            this.factory = factory;
            this.template = new StringRedisTemplate(factory);
        }

        @Override
        public String acquire(String key, List<String> arguments) {
            return template.execute(acquire, List.of(key), arguments.toArray());
        }

        @Override
        public String release(String key, List<String> arguments) {
            return template.execute(release, List.of(key), arguments.toArray());
        }

        @Override
        public void close() {
            Factories.destroy(factory);
        }
    }

    @Override
    public Latch latch(String key) {
        return new Lock(RedisLockSettings.STANDARD.keyPrefix() + ":{" + key + '}');
    }

    @Override
    public void close() {
        scripts.close();
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
            String holder = Factories.HOST
                    + '\n'
                    + ProcessHandle.current().pid()
                    + '\n'
                    + Thread.currentThread().getName();
            List<String> arguments =
                    List.of(owner, String.valueOf(leaseMillis), String.valueOf(leaseMillis + RETENTION_MILLIS), holder);
            while (!Character.isDigit(scripts.acquire(key, arguments).charAt(0))) {
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(MIN_SLEEP_NANOS, MAX_SLEEP_NANOS));
            }
        }

        @Override
        public void unlock() {
            String reply = scripts.release(key, List.of(owner, String.valueOf(RETENTION_MILLIS)));
            if (!reply.equals("RELEASED")) {
                throw new IllegalStateException("The lock " + key + " was lost");
            }
        }
    }
}
