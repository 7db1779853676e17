package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.NewThread;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** {@code holdfast.store=in-memory}. */
@ExtendWith(OutputCaptureExtension.class)
class InMemoryStoreTest {

    public static class Service {

        @DistributedLock(key = "'in-memory'", waitFor = 0)
        public Object run(Supplier<?> work) {
            return work.get();
        }
    }

    private static ApplicationContextRunner inMemory(ApplicationContextRunner runner) {
        return runner.withPropertyValues("holdfast.store=in-memory");
    }

    @Test
    void locks_are_kept_in_memory_without_redis() {
        inMemory(Runners.starter()).withBean(Service.class).run(context -> {
            assertThat(context).hasSingleBean(LockStore.class).hasSingleBean(InMemoryLockStore.class);
            Service service = context.getBean(Service.class);
            Object refusal = service.run(() -> NewThread.call(() -> catchRefusal(service)));
            assertThat(refusal).isInstanceOf(LockNotAcquiredException.class);
        });
    }

    private static Object catchRefusal(Service service) {
        try {
            return service.run(() -> "both ran");
        } catch (LockNotAcquiredException e) {
            return e;
        }
    }

    @Test
    void locks_are_kept_in_memory_also_if_there_is_a_redis() {
        inMemory(Runners.redis()).run(context -> {
            assertThat(context).hasSingleBean(RedisConnectionFactory.class).hasSingleBean(InMemoryLockStore.class);
            assertThat(context).doesNotHaveBean(RedisLockStore.class).hasSingleBean(LockTemplate.class);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"org.springframework.data.redis", "org.springframework.boot.data.redis"})
    void locks_are_kept_in_memory_without_classes_for_redis(String missing) {
        inMemory(Runners.starter())
                .withClassLoader(new FilteredClassLoader(missing))
                .run(context -> assertThat(context).hasSingleBean(InMemoryLockStore.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"IN_MEMORY", "inMemory", "in_memory", "In-Memory"})
    void value_may_be_written_as_boot_allows(String value) {
        Runners.redis()
                .withPropertyValues("holdfast.store=" + value)
                .run(context -> assertThat(context).hasSingleBean(InMemoryLockStore.class));
    }

    @Test
    void redis_is_the_default_and_can_be_named() {
        Runners.redis()
                .withPropertyValues("holdfast.store=redis")
                .run(context -> assertThat(context).hasSingleBean(RedisLockStore.class));
    }

    @Test
    void unknown_value_fails_the_start_and_names_what_is_allowed() {
        Runners.redis()
                .withPropertyValues("holdfast.store=memory")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("holdfast.store", "memory", "IN_MEMORY", "REDIS"));
    }

    @Test
    void log_says_once_that_nobody_else_is_excluded(CapturedOutput output) {
        inMemory(Runners.starter()).run(context -> assertThat(output).containsOnlyOnce("do not work across processes"));
    }

    @Test
    void settings_that_would_apply_to_redis_do_no_harm() {
        inMemory(Runners.starter())
                .withPropertyValues("holdfast.redis.key-prefix=shop", "holdfast.redis.url=redis://locks.example.com:1")
                .run(context -> assertThat(context).hasSingleBean(InMemoryLockStore.class));
    }

    @Test
    void store_of_the_application_wins() {
        InMemoryLockStore own = new InMemoryLockStore();
        inMemory(Runners.starter())
                .withBean("own", LockStore.class, () -> own)
                .run(context -> assertThat(context.getBean(LockStore.class)).isSameAs(own));
    }

    @Test
    void two_applications_in_one_process_do_not_share_a_store() {
        inMemory(Runners.starter())
                .run(one -> inMemory(Runners.starter()).run(two -> {
                    var held = one.getBean(LockTemplate.class).acquire("apart");
                    assertThat(two.getBean(LockTemplate.class).tryAcquire("apart"))
                            .isPresent();
                    held.close();
                }));
    }

    @Test
    void without_a_store_an_application_with_locked_methods_does_not_start_and_is_told_of_the_one_in_memory() {
        Runners.withoutStore()
                .withBean(Service.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(LockConfigurationException.class)
                        .hasMessageContainingAll(
                                "Service.run", "There is no LockTemplate", "holdfast.store=in-memory"));
    }

    @Test
    void without_a_store_a_part_of_an_application_starts_and_its_locked_methods_fail() {
        Runners.partForTest()
                .withBean(Service.class)
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(Service.class).run(() -> "unlocked"))
                        .hasMessageContaining("@AutoConfigureTestLocks"));
    }

    @Test
    void application_with_locked_methods_and_several_templates_does_not_start_unless_one_is_primary() {
        var several = Runners.starter()
                .withBean(Service.class)
                .withBean("one", LockTemplate.class, () -> template())
                .withBean("other", LockTemplate.class, () -> template());

        several.run(context -> assertThat(context)
                .getFailure()
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContainingAll("Service.run", "one", "other", "@Primary"));
        several.withBean("primary", LockTemplate.class, () -> template(), bean -> bean.setPrimary(true))
                .run(context -> assertThat(context.getBean(Service.class).run(() -> "locked"))
                        .isEqualTo("locked"));
    }

    private static LockTemplate template() {
        return LockEngine.builder(new InMemoryLockStore()).build();
    }
}
