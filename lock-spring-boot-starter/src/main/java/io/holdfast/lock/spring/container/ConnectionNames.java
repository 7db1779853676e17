package io.holdfast.lock.spring.container;

import org.springframework.util.ClassUtils;

/**
 * The names that identify a container as the Redis for locks. With Spring Boot's module for Redis, a Redis container belongs to
 * the application, and locks use it through the application's connection; without that module, nothing else uses it.
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
