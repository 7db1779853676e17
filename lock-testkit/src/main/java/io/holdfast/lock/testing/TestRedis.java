package io.holdfast.lock.testing;

import io.holdfast.lock.redis.RedisLockSettings;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.Jedis;

/** A server shared by tests that do not disrupt it, and an application's connection factories to any server. */
public final class TestRedis {

    /**
     * For tests that do not involve an unresponsive server: the timeout is so long that a call does not time out even on a busy machine,
     * and a reconnect is not delayed beyond the part of this timeout in which a broken connection is replaced.
     */
    public static final RedisLockSettings PATIENT =
            RedisLockSettings.STANDARD.withCommandTimeout(Duration.ofSeconds(30));

    private static final class Shared {
        private static final RedisServerProcess SERVER = RedisServerProcess.start();
    }

    private TestRedis() {}

    /** Starts on the first call and ends with the JVM. Use your own keys; do not flush. */
    public static RedisServerProcess shared() {
        return Shared.SERVER;
    }

    /** {@return the major version of the servers that tests start} */
    public static int version() {
        try (Jedis server = administrator(shared().port())) {
            String version = ServerNode.lines(server.info("server")).getOrDefault("redis_version", "0");
            return Integer.parseInt(version.split("\\.", 2)[0]);
        }
    }

    /** For commands that a test itself sends to a server, even if the server stalls for a long time. */
    public static Jedis administrator(int port) {
        return new Jedis("127.0.0.1", port, 60_000);
    }

    public static JedisConnectionFactory jedis(int port) {
        return ApplicationConnections.jedis(at(port), null);
    }

    public static LettuceConnectionFactory lettuce(int port) {
        return lettuce(at(port), null);
    }

    private static RedisStandaloneConfiguration at(int port) {
        return new RedisStandaloneConfiguration("127.0.0.1", port);
    }

    /** An application's own subclass, which may have changed anything. */
    private static final class OwnLettuceFactory extends LettuceConnectionFactory {
        OwnLettuceFactory(RedisConfiguration place, LettuceClientConfiguration client) {
            super(place, client);
        }
    }

    /** A Lettuce factory, for any configuration. */
    public static LettuceConnectionFactory lettuce(RedisConfiguration place, @Nullable TrustManagerFactory trust) {
        return ApplicationConnections.lettuce(place, trust, LettuceConnectionFactory::new);
    }

    /** Hides a factory behind an unknown class, which does not reveal that its connections are those of another factory. */
    public static RedisConnectionFactory hide(RedisConnectionFactory factory) {
        return (RedisConnectionFactory) Proxy.newProxyInstance(
                TestRedis.class.getClassLoader(),
                new Class<?>[] {RedisConnectionFactory.class, DisposableBean.class},
                (proxy, method, arguments) -> forward(factory, method, arguments));
    }

    private static @Nullable Object forward(RedisConnectionFactory to, Method method, Object[] arguments)
            throws Throwable {
        try {
            return method.invoke(to, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Shuts down a connection factory and its threads; the stores created from it must be closed first. */
    public static void destroy(RedisConnectionFactory factory) {
        try {
            ((DisposableBean) factory).destroy();
        } catch (Exception e) {
            throw new IllegalStateException("A connection factory failed to shut down", e);
        }
    }

    /** How the locks of a test reach Redis. */
    public enum Client {
        /** Over their own Jedis connections. */
        JEDIS {
            @Override
            public RedisConnectionFactory connect(RedisConfiguration place, @Nullable TrustManagerFactory trust) {
                return ApplicationConnections.jedis(place, trust);
            }
        },
        /** Through {@code RedisTemplate}, on an application's own subclass of the Lettuce factory. */
        TEMPLATE {
            @Override
            public RedisConnectionFactory connect(RedisConfiguration place, @Nullable TrustManagerFactory trust) {
                return ApplicationConnections.lettuce(place, trust, OwnLettuceFactory::new);
            }
        };

        public RedisConnectionFactory connect(int port) {
            return connect(at(port), null);
        }

        public RedisConnectionFactory connect(int port, String user, String password) {
            RedisStandaloneConfiguration place = at(port);
            place.setUsername(user);
            place.setPassword(password);
            return connect(place, null);
        }

        public RedisConnectionFactory connect(RedisAddress address) {
            return connect(address.configuration(), null);
        }

        public RedisConnectionFactory connect(RedisAddress address, String user, String password) {
            return connect(address.configuration(user, password), null);
        }

        /**
         * Connects with any configuration, as any user.
         *
         * @param trust for TLS; null for no TLS
         */
        public abstract RedisConnectionFactory connect(RedisConfiguration place, @Nullable TrustManagerFactory trust);
    }
}
