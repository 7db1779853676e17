package io.holdfast.lock.spring.container;

import org.springframework.util.ClassUtils;

/**
 * Which containers are the Redis of locks: those that say so. Where Spring Boot's module for Redis is, a container of Redis is the
 * application's, and locks use it by the application's connection; without that module nobody else takes it.
 */
final class ConnectionNames {

    static final int REDIS_PORT = 6379;

    private static final String OWN = "holdfast";

    private ConnectionNames() {}

    static String[] accepted() {
        return accepted(ClassUtils.isPresent(
                "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails",
                ConnectionNames.class.getClassLoader()));
    }

    static String[] accepted(boolean withBootsRedis) {
        return withBootsRedis
                ? new String[] {OWN}
                : new String[] {OWN, "redis", "redis/redis-stack", "redis/redis-stack-server", "valkey/valkey"};
    }
}
