package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.store.LockStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.Order;

class BackOffTest {

    private static final List<String> TOLD = new ArrayList<>();

    @Configuration(proxyBeanMethods = false)
    static class Listeners {
        @Bean
        @Order(2)
        LockListener second() {
            return event -> record("second", event);
        }

        @Bean
        @Order(1)
        LockListener first() {
            return event -> record("first", event);
        }
    }

    private static void record(String who, LockEvent event) {
        TOLD.add(who + " " + event.getClass().getSimpleName());
    }

    @Test
    void store_is_redis_by_default() {
        Runners.redis().run(context -> assertThat(context).hasSingleBean(RedisLockStore.class));
    }

    @Test
    void starter_can_be_switched_off_as_a_whole() {
        Runners.redis()
                .withPropertyValues("holdfast.enabled=false")
                .run(context -> assertThat(context.getBeanDefinitionNames())
                        .noneMatch(name -> name.contains("holdfast") || name.startsWith("locks")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "holdfastEventPublisher",
                "holdfastLeadershipEvents",
                "holdfastLeadershipMeters",
                "holdfastMetrics",
                "holdfastNamesFilter",
                "holdfastObservations",
                "holdfastShutdown"
            })
    void application_may_replace_what_observes_and_ends_locks(String name) {
        Runners.inMemory()
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean(ObservationRegistry.class, ObservationRegistry::create)
                .withBean(name, String.class, () -> "own")
                .run(context -> assertThat(context).hasNotFailed().getBean(name).isEqualTo("own"));
    }

    /** Whatever else an application has: its own template, a registry of meters, the web. */
    @Test
    void each_configuration_can_be_switched_off() {
        assertThat(Runners.lockConfigurations())
                .allSatisfy(each -> assertThat(MergedAnnotations.from(each).stream(ConditionalOnBooleanProperty.class))
                        .anySatisfy(condition -> {
                            assertThat(condition.getStringArray("name")).containsExactly("holdfast.enabled");
                            assertThat(condition.getBoolean("matchIfMissing")).isTrue();
                        }));
    }

    static class Locked {

        @DistributedLock(name = "any")
        public void run() {}
    }

    @Test
    void application_without_proxies_starts_unless_it_has_locked_methods() {
        ApplicationContextRunner withoutProxies = Runners.inMemory().withPropertyValues("spring.aop.auto=false");
        withoutProxies.run(context ->
                assertThat(context).hasNotFailed().doesNotHaveBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME));
        for (boolean lazy : List.of(true, false)) {
            withoutProxies
                    .withBean(Locked.class, Locked::new, bean -> bean.setLazyInit(lazy))
                    .run(context -> assertThat(Startup.failureOf(context))
                            .contains("Locked.run() would run without its lock", "Remove spring.aop.auto=false"));
        }
    }

    @Test
    void store_of_the_application_wins() {
        Runners.redis().withBean(InMemoryLockStore.class).run(context -> {
            assertThat(context).hasSingleBean(LockStore.class).hasSingleBean(InMemoryLockStore.class);
            assertThat(context).hasSingleBean(LockTemplate.class);
        });
    }

    @Test
    void template_of_the_application_wins_and_no_store_is_made() {
        LockTemplate own = mock(LockTemplate.class);
        Runners.redis().withBean(LockTemplate.class, () -> own).run(context -> {
            assertThat(context.getBean(LockTemplate.class)).isSameAs(own);
            assertThat(context).doesNotHaveBean(LockStore.class);
        });
    }

    @Test
    void listeners_are_told_in_their_order() {
        TOLD.clear();
        Runners.inMemory().withUserConfiguration(Listeners.class).run(context -> {
            context.getBean(LockTemplate.class).execute("listeners", () -> {});
            assertThat(TOLD).containsExactly("first Acquired", "second Acquired", "first Released", "second Released");
        });
    }

    static class ListenerThatLocks implements LockListener {

        private final LockTemplate locks;

        ListenerThatLocks(LockTemplate locks) {
            this.locks = locks;
        }

        @Override
        public void onEvent(LockEvent event) {
            record(locks.getClass().getSimpleName(), event);
        }
    }

    @Test
    void listener_may_need_the_template_itself() {
        TOLD.clear();
        Runners.inMemory().withBean(ListenerThatLocks.class).run(context -> {
            context.getBean(LockTemplate.class).execute("listeners", () -> {});
            assertThat(TOLD).containsExactly("LockEngine Acquired", "LockEngine Released");
        });
    }

    @Test
    void template_is_closed_before_its_store() {
        LockStore store = mock(LockStore.class);
        AtomicReference<Throwable> whenClosing = new AtomicReference<>();
        Runners.starter().withBean(LockStore.class, () -> store).run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            doAnswer(call -> {
                        whenClosing.set(catchThrowable(() -> locks.tryAcquire("late")));
                        return null;
                    })
                    .when(store)
                    .close();
        });
        assertThat(whenClosing.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
    }
}
