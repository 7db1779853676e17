package io.holdfast.lock.spring.aot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;

/** Applications that were processed ahead of time, run on the JVM. */
@Tag("full")
@Timeout(120)
@CompileWithForkedClassLoader
class AheadOfTimeTest {

    public record Order(String id) {}

    public static class Naming {
        public String keyOf(Order order) {
            return "order:" + order.id();
        }
    }

    public static class Payments {

        @DistributedLock(name = "order", key = "#order.id", waitFor = 0)
        public Boolean holds(LockTemplate locks, Order order) {
            return locks.inspect("order:" + order.id()).holder().isPresent();
        }

        @DistributedLock(key = "@naming.keyOf(#order)", waitFor = 0)
        public Boolean holdsByBean(LockTemplate locks, Order order) {
            return locks.inspect("order:" + order.id()).holder().isPresent();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class InMemory {

        @Bean
        LockStore store() {
            return new InMemoryLockStore();
        }

        @Bean
        Payments payments() {
            return new Payments();
        }

        @Bean
        Naming naming() {
            return new Naming();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class OnRedis {

        @Bean
        Payments payments() {
            return new Payments();
        }

        @Bean
        Naming naming() {
            return new Naming();
        }
    }

    public static class Leased {

        @DistributedLock(key = "'leased'", leaseString = "${app.lease}")
        public Duration remaining(LockTemplate locks) {
            return locks.inspect("leased").holder().orElseThrow().remaining();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Placeholder {

        @Bean
        LockStore store() {
            return new InMemoryLockStore();
        }

        @Bean
        Leased leased() {
            return new Leased();
        }
    }

    public static class Leases {

        static final AtomicInteger CREATED = new AtomicInteger();

        public Leases() {
            CREATED.incrementAndGet();
        }

        public Duration getShort() {
            return Duration.ofSeconds(7);
        }
    }

    public static class LeasedByBean {

        @DistributedLock(key = "'leased'", leaseString = "#{@leases.short}")
        public Duration remaining(LockTemplate locks) {
            return locks.inspect("leased").holder().orElseThrow().remaining();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ByBean {

        @Bean
        LockStore store() {
            return new InMemoryLockStore();
        }

        @Bean
        LeasedByBean leased() {
            return new LeasedByBean();
        }

        @Bean
        Leases leases() {
            return new Leases();
        }
    }

    @Test
    void bean_that_a_time_comes_from_is_not_created_by_the_build() {
        AheadOfTime.run(
                ByBean.class,
                context -> assertThat(
                                context.getBean(LeasedByBean.class).remaining(context.getBean(LockTemplate.class)))
                        .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(7)));
        assertThat(Leases.CREATED).hasValue(1);
    }

    /** The first connection of a process loads hundreds of classes, and this machine may be busy. */
    private static String[] redis(String client, String... address) {
        return Stream.concat(
                        Stream.of("spring.data.redis.client-type=" + client, "holdfast.redis.command-timeout=30s"),
                        Stream.of(address))
                .toArray(String[]::new);
    }

    private static int port() {
        return TestRedis.shared().port();
    }

    private static void locks(ConfigurableApplicationContext context) {
        LockTemplate locks = context.getBean(LockTemplate.class);
        Payments payments = context.getBean(Payments.class);
        Order order = new Order(UUID.randomUUID().toString());

        assertThat(AopUtils.isAopProxy(payments)).isTrue();
        assertThat(payments.holds(locks, order)).isTrue();
        assertThat(payments.holdsByBean(locks, order)).isTrue();
        try (LockHandle other = locks.acquire("order:" + order.id()).detach()) {
            assertThatThrownBy(() -> payments.holds(locks, order)).isInstanceOf(LockNotAcquiredException.class);
        }
    }

    @Test
    void annotated_methods_are_locked() {
        AheadOfTime.run(InMemory.class, AheadOfTimeTest::locks);
    }

    @Test
    void locks_are_kept_in_the_applications_redis_by_jedis() {
        AheadOfTime.run(
                OnRedis.class,
                AheadOfTimeTest::locks,
                redis("jedis", "spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + port()));
    }

    @Test
    void locks_are_kept_in_a_redis_of_their_own_beside_lettuce() {
        AheadOfTime.run(
                OnRedis.class,
                AheadOfTimeTest::locks,
                redis("lettuce", "holdfast.redis.url=redis://127.0.0.1:" + port()));
    }

    @Test
    void url_of_their_own_redis_may_be_unknown_to_the_build() {
        AheadOfTime.run(
                OnRedis.class,
                AheadOfTimeTest::locks,
                redis("lettuce"),
                redis("lettuce", "spring.data.redis.port=1", "holdfast.redis.url=redis://127.0.0.1:" + port()));
    }

    @Test
    void url_that_only_the_build_knows_is_not_used() {
        AheadOfTime.run(
                OnRedis.class,
                AheadOfTimeTest::locks,
                redis("lettuce", "holdfast.redis.url=redis://127.0.0.1:1"),
                redis("lettuce", "spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + port()));
    }

    public static class Outbox {

        @LeaderOnly("outbox")
        public String publish() {
            return "published";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithLeader {

        @Bean
        LockStore store() {
            return new InMemoryLockStore();
        }

        @Bean
        Outbox outbox() {
            return new Outbox();
        }
    }

    @Test
    void method_runs_on_the_leader_only() {
        AheadOfTime.run(
                WithLeader.class,
                context -> {
                    Outbox outbox = context.getBean(Outbox.class);
                    Leadership leadership = context.getBean(Leadership.class);
                    Awaitility.await().until(leadership::isLeader);
                    assertThat(outbox.publish()).isEqualTo("published");
                    context.getBean(LeaderElection.class).stop().join();
                    assertThat(outbox.publish()).isNull();
                },
                "holdfast.leadership.roles.outbox.lease=10s");
    }

    /** What production sets, the build need not know. */
    @Test
    void placeholder_of_an_annotation_may_be_unknown_to_the_build() {
        AheadOfTime.run(
                Placeholder.class, AheadOfTimeTest::locksFor9Seconds, new String[0], new String[] {"app.lease=9s"});
    }

    private static void locksFor9Seconds(ConfigurableApplicationContext context) {
        Duration remaining = context.getBean(Leased.class).remaining(context.getBean(LockTemplate.class));
        assertThat(remaining).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(9));
    }
}
