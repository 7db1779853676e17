package io.holdfast.lock.spring.aot;

import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.DistributedLocks;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * What every application needs: the attributes of the annotation, {@code #root}, the libraries that are looked up by name, and
 * the page of the endpoint.
 */
final class StarterHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.reflection()
                .registerType(SimpleAsyncTaskExecutor.class, MemberCategory.ACCESS_DECLARED_FIELDS)
                .registerTypeIfPresent(loader, "io.micrometer.observation.Observation")
                .registerTypeIfPresent(loader, "org.springframework.data.redis.connection.RedisConnectionFactory")
                .registerTypeIfPresent(loader, "reactor.core.publisher.Flux")
                .registerTypeIfPresent(loader, "reactor.core.scheduler.Schedulers")
                .registerTypeIfPresent(loader, "kotlinx.coroutines.reactor.MonoKt")
                .registerTypeIfPresent(loader, "kotlin.reflect.full.KCallables")
                .registerType(DistributedLock.class, MemberCategory.INVOKE_DECLARED_METHODS)
                .registerType(LeaderOnly.class, MemberCategory.INVOKE_DECLARED_METHODS)
                .registerType(DistributedLocks.class, MemberCategory.INVOKE_DECLARED_METHODS)
                .registerType(
                        TypeReference.of("io.holdfast.lock.spring.key.LockExpression$Root"),
                        MemberCategory.INVOKE_PUBLIC_METHODS);
        hints.proxies().registerJdkProxy(DistributedLock.class); // synthesized for composed annotations
        hints.resources().registerPattern("io/holdfast/lock/spring/autoconfigure/actuate/page/*");
        hints.resources().registerPattern("io/holdfast/lock/spring/fence/*.sql");
    }
}
