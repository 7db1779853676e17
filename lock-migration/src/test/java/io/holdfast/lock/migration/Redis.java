package io.holdfast.lock.migration;

import io.holdfast.lock.testing.TestRedis;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** The Redis that the tests share, as an application connects to it. */
public final class Redis {

    private Redis() {}

    public static int port() {
        return TestRedis.shared().port();
    }

    /** To be destroyed by the caller. */
    public static JedisConnectionFactory connect() {
        JedisConnectionFactory factory =
                new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port()));
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }
}
