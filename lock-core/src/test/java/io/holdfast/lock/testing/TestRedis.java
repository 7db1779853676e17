package io.holdfast.lock.testing;

import java.time.Duration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The server that tests share which do not harm it, and the applications' connection factories to any server. */
public final class TestRedis {

    private static final class Shared {
        private static final RedisServerProcess SERVER = RedisServerProcess.start();
    }

    private TestRedis() {}

    /** Starts with the first call and ends with the JVM. Use keys of your own; do not flush. */
    public static RedisServerProcess shared() {
        return Shared.SERVER;
    }

    public static JedisConnectionFactory jedis(int port) {
        JedisConnectionFactory factory =
                new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port));
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    public static LettuceConnectionFactory lettuce(int port) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration("127.0.0.1", port),
                LettuceClientConfiguration.builder()
                        .shutdownQuietPeriod(Duration.ZERO)
                        .shutdownTimeout(Duration.ofMillis(100))
                        .build());
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    /** The client that a test is to run on. */
    public enum Client {
        JEDIS,
        LETTUCE;

        public RedisConnectionFactory connect(int port) {
            return this == JEDIS ? jedis(port) : lettuce(port);
        }
    }
}
