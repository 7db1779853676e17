package io.holdfast.lock.spring;

import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.autoconfigure.LockStoreAutoConfiguration;
import io.holdfast.lock.testing.TestRedis;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

/** Applications with the starter, as its imports file registers it. */
public final class Runners {

    private Runners() {}

    /** Locks in memory. */
    public static ApplicationContextRunner inMemory() {
        return starter().withBean(InMemoryLockStore.class);
    }

    /** Locks in the Redis that the tests share, by Jedis. */
    public static ApplicationContextRunner redis() {
        return redis(TestRedis.shared().port());
    }

    public static ApplicationContextRunner redis(int port) {
        return starter()
                .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                .withPropertyValues(
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + port,
                        "spring.data.redis.client-type=jedis",
                        "holdfast.redis.command-timeout=30s"); // the machine may stand still
    }

    /** Locks where Redis is by default, on this machine. What a test still holds at its end is not waited for. */
    public static ApplicationContextRunner starter() {
        return with(ours());
    }

    /** Without any store, as an application without Spring Data Redis is. */
    public static ApplicationContextRunner withoutStore() {
        return with(ours().filter(each -> each != LockStoreAutoConfiguration.class));
    }

    /** Where an application excludes one of our auto-configurations. */
    public static ApplicationContextRunner inMemoryWithout(Class<?> excluded) {
        return with(ours().filter(each -> each != excluded)).withBean(InMemoryLockStore.class);
    }

    private static ApplicationContextRunner with(Stream<Class<?>> configurations) {
        return new ApplicationContextRunner()
                .withPropertyValues("holdfast.shutdown.timeout=0s")
                .withConfiguration(
                        AutoConfigurations.of(Stream.concat(Stream.of(AopAutoConfiguration.class), configurations)
                                .toArray(Class<?>[]::new)));
    }

    /** Without any store, and as a test that starts a part of the application: a whole one would not start. */
    public static ApplicationContextRunner partForTest() {
        return withoutStore().withPropertyValues(EnableAutoConfiguration.ENABLED_OVERRIDE_PROPERTY + "=false");
    }

    /** To be registered like an application's own, in a chosen order. */
    public static Class<?>[] lockConfigurations() {
        return ours().toArray(Class<?>[]::new);
    }

    private static Stream<Class<?>> ours() {
        ClassLoader loader = Runners.class.getClassLoader();
        List<String> names = StreamSupport.stream(
                        ImportCandidates.load(AutoConfiguration.class, loader).spliterator(), false)
                .filter(name -> name.startsWith("io.holdfast."))
                .toList();
        return names.stream().map(name -> ClassUtils.resolveClassName(name, loader));
    }
}
