package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import redis.clients.jedis.Jedis;

/** Applications on a real Redis. */
@Timeout(60)
class RedisApplicationTest {

    public static class Service {

        @DistributedLock(key = "#key")
        public Object run(String key, Callable<?> work) throws Exception {
            return work.call();
        }

        @DistributedLock(key = "#key", lease = 6)
        public Object runLong(String key, Callable<?> work) throws Exception {
            return work.call();
        }

        @DistributedLock(key = "'down'", waitFor = 0, onContention = OnContention.SKIP)
        public String skip() {
            return "ran";
        }
    }

    private final String key = "starter-" + UUID.randomUUID();

    private static boolean exists(String redisKey) {
        try (Jedis jedis = TestRedis.administrator(TestRedis.shared().port())) {
            return jedis.exists(redisKey);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jedis", "lettuce"})
    void annotated_method_holds_its_lock_in_redis(String client) {
        Runners.redis()
                .withPropertyValues("spring.data.redis.client-type=" + client)
                .withBean(Service.class)
                .run(context -> {
                    Class<?> factory =
                            client.equals("jedis") ? JedisConnectionFactory.class : LettuceConnectionFactory.class;
                    assertThat(context.getBean(RedisConnectionFactory.class)).isInstanceOf(factory);
                    assertThat(context.getBean(Service.class).run(key, () -> exists("holdfast:{" + key + "}")))
                            .isEqualTo(true);
                });
    }

    @Test
    void key_prefix_is_the_first_part_of_the_key_in_redis() {
        Runners.redis()
                .withPropertyValues("holdfast.redis.key-prefix=shop")
                .withBean(Service.class)
                .run(context -> assertThat(context.getBean(Service.class).run(key, () -> exists("shop:{" + key + "}")))
                        .isEqualTo(true));
    }

    @Test
    void lease_is_renewed_again_and_again_while_a_long_method_runs() {
        Runners.redis().withBean(Service.class).run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            LockHolder last = (LockHolder) context.getBean(Service.class).runLong(key, () -> afterRenewals(locks, 2));
            assertThat(last.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(6));
        });
    }

    /** A look that sees more time left than the one before has seen a renewal. */
    private LockHolder afterRenewals(LockTemplate locks, int count) {
        LockHolder last = holder(locks);
        for (int renewals = 0; renewals < count; ) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            LockHolder now = holder(locks);
            assertThat(now.fencingToken()).isEqualTo(last.fencingToken());
            renewals += now.remaining().compareTo(last.remaining()) > 0 ? 1 : 0;
            last = now;
        }
        return last;
    }

    private LockHolder holder(LockTemplate locks) {
        return locks.inspect(key).holder().orElseThrow(() -> new AssertionError("The lock is free"));
    }

    @Test
    void no_template_scheduler_or_connection_factory_is_published() {
        Runners.redis().run(context -> {
            assertThat(context).hasSingleBean(RedisConnectionFactory.class).hasSingleBean(StringRedisTemplate.class);
            assertThat(context).doesNotHaveBean(org.springframework.scheduling.TaskScheduler.class);
            assertThat(context).doesNotHaveBean(java.util.concurrent.Executor.class);
        });
    }

    @Test
    void application_without_redis_classes_starts_unless_it_has_locked_methods() {
        var runner = Runners.redis().withClassLoader(new FilteredClassLoader("org.springframework.data.redis"));
        runner.run(context -> assertThat(context).hasNotFailed());
        runner.withBean(Service.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContainingAll("There is no LockTemplate", "or Spring Data Redis"));
    }

    @Test
    void application_starts_while_redis_is_down_and_locked_methods_fail() {
        onDeadServer(port -> Runners.redis(port).withBean(Service.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThatThrownBy(() -> context.getBean(Service.class).run(key, () -> "ran"))
                    .isInstanceOf(LockStoreException.class);
        }));
    }

    @Test
    void failure_of_redis_is_not_skipped() {
        onDeadServer(port -> Runners.redis(port)
                .withBean(Service.class)
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(Service.class).skip())
                        .isInstanceOf(LockStoreException.class)));
    }

    @Test
    void fail_fast_ends_the_start_while_redis_is_down() {
        onDeadServer(port -> Runners.redis(port)
                .withPropertyValues("holdfast.fail-fast=true")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("holdfast.fail-fast is true", "is not available", "holdfast.fail-fast=false")
                        .containsOnlyOnce("Check")
                        .containsOnlyOnce("spring.data.redis")));
    }

    @Test
    void fail_fast_asks_a_template_of_the_application() {
        LockTemplate template = org.mockito.Mockito.mock(LockTemplate.class);
        org.mockito.Mockito.when(template.inspect(org.mockito.ArgumentMatchers.anyString()))
                .thenThrow(new LockStoreException("It is down.", null, false));
        Runners.starter()
                .withBean(LockTemplate.class, () -> template)
                .withPropertyValues("holdfast.fail-fast=true")
                .run(context ->
                        assertThat(Startup.failureOf(context)).contains("It is down.", "holdfast.fail-fast=false"));
    }

    @Test
    void fail_fast_lets_an_application_start_on_a_living_redis() {
        Runners.redis()
                .withPropertyValues("holdfast.fail-fast=true")
                .run(context -> assertThat(context).hasNotFailed());
    }

    private interface OnPort {
        void run(int port);
    }

    private static void onDeadServer(OnPort body) {
        RedisServerProcess server = RedisServerProcess.start();
        server.kill();
        body.run(server.port());
    }
}
