package io.holdfast.lock.spring.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LocalLocks.SubscriptionState;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ApplicationContext;

@Timeout(60)
class HealthTest {

    private static Health health(ApplicationContext context) {
        return context.getBean("locksHealthIndicator", HealthIndicator.class).health();
    }

    @Test
    void redis_that_answers_and_evicts_nothing_is_up_without_warnings() {
        Runners.redis()
                .run(context -> assertThat(health(context))
                        .isEqualTo(Health.up()
                                .withDetail(
                                        "store",
                                        "Redis at 127.0.0.1:"
                                                + TestRedis.shared().port()
                                                + " over dedicated connections, with key prefix 'holdfast'")
                                .withDetail("storeStatus", "responds")
                                .withDetail("lateRenewals", 0)
                                .withDetail("subscription", "not_needed")
                                .withDetail("evictionPolicy", "noeviction")
                                .build()));
    }

    @Test
    void redis_that_may_evict_locks_is_up_with_a_warning() {
        try (RedisServerProcess server = RedisServerProcess.start("--maxmemory-policy", "allkeys-lru")) {
            Runners.redis(server.port()).run(context -> {
                Health health = health(context);

                assertThat(health.getStatus()).isEqualTo(Status.UP);
                assertThat(health.getDetails()).containsEntry("evictionPolicy", "allkeys-lru");
                assertThat(health.getDetails().get("warnings"))
                        .asInstanceOf(InstanceOfAssertFactories.list(String.class))
                        .singleElement()
                        .asString()
                        .contains("allkeys-lru", "maxmemory-policy", "noeviction");
            });
        }
    }

    @Test
    void redis_that_does_not_answer_is_down_and_says_why() {
        RedisServerProcess server = RedisServerProcess.start();
        Runners.redis(server.port()).run(context -> {
            server.kill();
            Health health = health(context);

            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.getDetails())
                    .containsEntry("storeStatus", "unavailable")
                    .hasEntrySatisfying(
                            "error", error -> assertThat(error).asString().contains("LockStoreException"));
        });
        server.close();
    }

    @Test
    void redis_that_rejects_calls_is_down_and_says_why() {
        try (RedisServerProcess server = RedisServerProcess.start("--requirepass", "secret")) {
            Runners.redis(server.port())
                    .withPropertyValues("spring.data.redis.password=wrong-one")
                    .run(context -> {
                        Health health = health(context);

                        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                        assertThat(health.getDetails()).containsEntry("storeStatus", "unavailable");
                        assertThat(health.getDetails().get("error"))
                                .asString()
                                .contains("Redis at 127.0.0.1:" + server.port() + " rejected the call: WRONGPASS")
                                .doesNotContain("wrong-one");
                    });
        }
    }

    @Test
    void servers_of_a_quorum_that_fail_are_named() {
        try (RedisServerProcess first = RedisServerProcess.start("--requirepass", "secret");
                RedisServerProcess second = RedisServerProcess.start("--requirepass", "secret");
                RedisServerProcess third = RedisServerProcess.start("--requirepass", "secret")) {
            Runners.redis()
                    .withPropertyValues("holdfast.quorum.command-timeout=10s")
                    .withPropertyValues("holdfast.quorum.nodes=redis://:secret@127.0.0.1:" + first.port()
                            + ",redis://:secret@127.0.0.1:" + second.port() + ",redis://:wrong-one@127.0.0.1:"
                            + third.port())
                    .run(context -> {
                        Health some = health(context);
                        assertThat(some.getStatus()).isEqualTo(Status.UP);
                        assertThat(some.getDetails().get("warnings"))
                                .asInstanceOf(InstanceOfAssertFactories.list(String.class))
                                .singleElement()
                                .asString()
                                .startsWith("Lock server 127.0.0.1:" + third.port() + " failed; locks work as long as")
                                .contains("WRONGPASS")
                                .doesNotContain("wrong-one");

                        first.kill();
                        Health most = health(context);
                        assertThat(most.getStatus()).isEqualTo(Status.DOWN);
                        assertThat(most.getDetails().get("error"))
                                .asString()
                                .contains(
                                        "127.0.0.1:" + first.port() + ": ",
                                        third.port() + " rejected the call: WRONGPASS")
                                .doesNotContain("wrong-one", "secret");
                    });
        }
    }

    @Test
    void leadership_is_shown_even_if_redis_does_not_answer() {
        RedisServerProcess server = RedisServerProcess.start();
        Runners.redis(server.port())
                .withPropertyValues("holdfast.leadership.roles.reports.enabled=false")
                .run(context -> {
                    server.kill();
                    Health health = health(context);

                    assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                    assertThat(health.getDetails())
                            .containsEntry(
                                    "leadership", Map.of("reports", Map.of("candidate", false, "leader", false)));
                });
        server.close();
    }

    private static BeanFactory beans(Object... more) {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        beans.addBean("template", mock(LockTemplate.class));
        Stream.of(more).forEach(each -> beans.addBean(each.toString(), each));
        return beans;
    }

    private static Health of(LocalLocks local, Map<String, String> policies) {
        LockStore store = mock(LockStore.class);
        when(store.evictionPolicies()).thenReturn(policies);
        return new LocksHealthIndicator(beans(local, store)).health();
    }

    @Test
    void late_renewals_are_down() {
        LocalLocks local = mock(LocalLocks.class);
        when(local.subscriptionState()).thenReturn(SubscriptionState.CONNECTED);
        when(local.lateRenewals()).thenReturn(1);

        Health health = of(local, Map.of());

        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(health.getDetails()).containsEntry("lateRenewals", 1).doesNotContainKey("evictionPolicy");
    }

    @Test
    void warning_of_the_store_is_up_with_a_warning() {
        LockStore store = mock(LockStore.class);
        when(store.warnings()).thenReturn(List.of("scripts may not publish"));

        Health health = new LocksHealthIndicator(beans(store)).health();

        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).containsEntry("warnings", List.of("scripts may not publish"));
    }

    @Test
    void lost_subscription_is_up_with_a_warning() {
        LocalLocks local = mock(LocalLocks.class);
        when(local.subscriptionState()).thenReturn(SubscriptionState.DISCONNECTED);

        Health health = of(local, Map.of("", "unknown"));

        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails())
                .containsEntry("subscription", "disconnected")
                .containsEntry("evictionPolicy", "unknown")
                .hasEntrySatisfying(
                        "warnings",
                        warnings -> assertThat(warnings)
                                .asInstanceOf(InstanceOfAssertFactories.list(String.class))
                                .singleElement()
                                .asString()
                                .contains("every 100 ms"));
    }

    @Test
    void each_of_several_servers_is_named() {
        LocalLocks local = mock(LocalLocks.class);
        when(local.subscriptionState()).thenReturn(SubscriptionState.NOT_NEEDED);

        Health health = of(local, Map.of("a:1", "noeviction", "b:2", "volatile-lru", "c:3", "unknown"));

        assertThat(health.getDetails().get("warnings"))
                .isEqualTo(List.of("The eviction policy of b:2 is volatile-lru: Redis may evict held locks when it"
                        + " runs out of memory. Set maxmemory-policy to noeviction"));
    }

    @Test
    void there_is_none_without_the_health_module() {
        Runners.inMemory()
                .withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("locksHealthIndicator"));
    }

    @Test
    void there_is_none_without_locks() {
        Runners.withoutStore().run(context -> assertThat(context).doesNotHaveBean("locksHealthIndicator"));
    }

    @Test
    void can_be_switched_off() {
        Runners.inMemory()
                .withPropertyValues("management.health.locks.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("locksHealthIndicator"));
    }

    @Test
    void indicator_of_the_applications_own_wins() {
        HealthIndicator own = () -> Health.unknown().build();
        Runners.inMemory()
                .withBean("locksHealthIndicator", HealthIndicator.class, () -> own)
                .run(context -> assertThat(health(context).getStatus()).isEqualTo(Status.UNKNOWN));
    }

    @Test
    void contributor_of_the_applications_own_wins() {
        Runners.inMemory()
                .withBean(
                        "locksHealthContributor", HealthContributor.class, () -> mock(CompositeHealthContributor.class))
                .run(context -> assertThat(context).doesNotHaveBean("locksHealthIndicator"));
    }
}
