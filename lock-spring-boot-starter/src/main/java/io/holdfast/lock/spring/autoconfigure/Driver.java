package io.holdfast.lock.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** What speaks with Redis. */
enum Driver {
    JEDIS("redis.clients.jedis.Jedis", "redis.clients:jedis"),
    LETTUCE("io.lettuce.core.RedisClient", "io.lettuce:lettuce-core");

    private final String type;
    private final String artifact;

    Driver(String type, String artifact) {
        this.type = type;
        this.artifact = artifact;
    }

    String artifact() {
        return artifact;
    }

    boolean isPresent(@Nullable ClassLoader loader) {
        return ClassUtils.isPresent(type, loader);
    }
}
