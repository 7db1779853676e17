package io.holdfast.lock.redis;

import io.holdfast.lock.redis.driver.ApplicationConnections;
import io.holdfast.lock.redis.driver.JedisConnections;
import io.holdfast.lock.redis.driver.LettuceApplication;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/** Resources and types that a native image has to keep because the core looks them up by name only. */
final class NativeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources().registerPattern("io/holdfast/lock/redis/*.lua");
        hints.reflection()
                .registerTypeIfPresent(loader, Connections.JEDIS)
                .registerTypeIfPresent(loader, ApplicationConnections.LETTUCE)
                .registerType(
                        TypeReference.of("redis.clients.jedis.UnifiedJedis"),
                        type -> type.withField(JedisConnections.POOL_FIELD))
                .registerType(
                        TypeReference.of(Connections.LETTUCE_FACTORY),
                        type -> type.withField(LettuceApplication.CONFIGURATION_FIELD));
    }
}
