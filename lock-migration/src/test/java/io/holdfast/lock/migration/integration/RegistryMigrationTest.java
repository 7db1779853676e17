package io.holdfast.lock.migration.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.migration.Applications;
import io.holdfast.lock.migration.Holding;
import io.holdfast.lock.migration.Stock;
import io.holdfast.lock.migration.Stock.Sale;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

@Tag("full")
class RegistryMigrationTest {

    private final long id = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    private final Stock stock = new Stock();

    private final ApplicationContextRunner former = Applications.plain()
            .withBean(ThreadPoolTaskScheduler.class)
            .withUserConfiguration(RegistryBefore.Locks.class);
    private final ApplicationContextRunner other =
            Applications.holdfast().withUserConfiguration(RegistryAfter.Locks.class);
    private final ApplicationContextRunner both = Applications.holdfast()
            .withBean(ThreadPoolTaskScheduler.class)
            .withUserConfiguration(RegistryAfter.BothRegistries.class);

    private static RedisLockRegistry redisRegistry(ApplicationContext context) {
        return context.getBean(RedisLockRegistry.class);
    }

    @SuppressWarnings("unchecked")
    private static LockRegistry<? extends Lock> registry(ApplicationContext context) {
        return context.getBean(LockRegistry.class);
    }

    private static LockTemplate template(ApplicationContext context) {
        return context.getBean(LockTemplate.class);
    }

    @Test
    void former_locks_exclude_each_other() {
        former.run(here -> former.run(there -> stock.assertThatNothingIsForgotten(List.of(
                () -> new RegistryBefore(redisRegistry(here), stock).lock(id),
                () -> new RegistryBefore(redisRegistry(there), stock).lock(id)))));
    }

    @Test
    void locks_of_the_other_bean_exclude_each_other() {
        other.run(here -> other.run(there -> stock.assertThatNothingIsForgotten(
                List.of(() -> lock(registry(here), stock), () -> lock(registry(there), stock)))));
    }

    private void lock(LockRegistry<? extends Lock> registry, Stock work) throws InterruptedException {
        registry.executeLocked("order:" + id, () -> work.charge(id));
    }

    @Test
    void other_bean_and_template_have_the_same_locks() {
        other.run(here -> other.run(there -> {
            try (Holding held = Holding.inside(shop -> new RegistryAfter(template(here), shop).lock(id))) {
                assertThat(registry(there).obtain("order:" + id).tryLock()).isFalse();
            }
            RegistryAfter after = new RegistryAfter(template(there), stock);
            assertThat(after.tryLock(id)).isTrue();
            after.execute(id);
            after.ttl(id);
            assertThat(stock.sold()).isEqualTo(3);
        }));
    }

    @Test
    void former_registry_gives_up_in_time() {
        former.run(here -> former.run(there -> {
            RegistryBefore before = new RegistryBefore(redisRegistry(there), stock);
            try (Holding held = Holding.inside(shop -> new RegistryBefore(redisRegistry(here), shop).ttl(id))) {
                assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> before.execute(id));
            }
            assertThat(before.tryLock(id)).isTrue();
            before.maintenance();
        }));
    }

    @Test
    void other_bean_gives_up_in_time_with_the_same_exception() {
        other.run(here -> other.run(there -> {
            try (Holding held = Holding.inside(shop -> new RegistryAfter(template(here), shop).ttl(id))) {
                assertThatExceptionOfType(TimeoutException.class)
                        .isThrownBy(() ->
                                registry(there).executeLocked("order:" + id, Duration.ZERO, () -> stock.charge(id)));
            }
        }));
    }

    @Test
    void template_gives_up_in_time() {
        other.run(here -> other.run(there -> {
            try (Holding held = Holding.inside(shop -> new RegistryAfter(template(here), shop).ttl(id))) {
                RegistryAfter after = new RegistryAfter(template(there), stock);
                assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> after.execute(id));
            }
        }));
    }

    @Test
    void other_bean_is_all_that_the_former_was() {
        other.run(here -> {
            LockRegistry<? extends Lock> registry = registry(here);
            assertThat(registry).isInstanceOf(ExpirableLockRegistry.class).isInstanceOf(RenewableLockRegistry.class);
            DistributedLock lock = (DistributedLock) registry.obtain("order:" + id);
            lock.lock(Duration.ofSeconds(10));
            try {
                ((RenewableLockRegistry<?>) registry).renewLock("order:" + id, Duration.ofMinutes(1));
                assertThat(template(here).getLock("shop:order:" + id).remaining())
                        .isGreaterThan(Duration.ofSeconds(10));
            } finally {
                lock.unlock();
            }
        });
    }

    @Test
    void release_with_both_registries_excludes_the_one_before() {
        former.run(before -> both.run(now -> {
            Sale first = () -> new RegistryBefore(redisRegistry(before), stock).lock(id);
            stock.assertThatNothingIsForgotten(List.of(first, () -> lock(registry(now), stock)));
        }));
    }

    @Test
    void release_with_both_registries_excludes_the_one_after() {
        both.run(now -> other.run(next -> {
            Sale first = () -> lock(registry(now), stock);
            stock.assertThatNothingIsForgotten(List.of(first, () -> lock(registry(next), stock)));
        }));
    }
}
