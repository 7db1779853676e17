package io.holdfast.lock.migration.shedlock;

import io.holdfast.lock.migration.Shop;
import java.time.Duration;
import java.time.Instant;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** How a shop locks its jobs with ShedLock. */
public class ShedLockBefore {

    private final Shop shop;
    private final LockProvider lockProvider;

    public ShedLockBefore(Shop shop, LockProvider lockProvider) {
        this.shop = shop;
        this.lockProvider = lockProvider;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    @EnableSchedulerLock(defaultLockAtMostFor = "10m")
    static class Scheduling {

        @Bean
        LockProvider lockProvider(RedisConnectionFactory redis) {
            return new RedisLockProvider(redis, "shop");
        }
    }

    // region job
    @Scheduled(cron = "0 0 2 * * *")
    @SchedulerLock(name = "report", lockAtMostFor = "30m", lockAtLeastFor = "1m")
    public void report() {
        LockAssert.assertLocked();
        shop.charge(0);
    }
    // endregion

    @Scheduled(fixedDelay = 600_000, initialDelay = 600_000)
    @SchedulerLock(name = "clean-up")
    public void cleanUp() {
        shop.charge(0);
    }

    @SchedulerLock(name = "sync-#{#branch}", lockAtLeastFor = "10s")
    public void sync(String branch) {
        shop.charge(0);
    }

    @SchedulerLock(name = "invoices", lockAtMostFor = "5m")
    public void invoices() {
        for (long customer = 0; customer < 3; customer++) {
            LockExtender.extendActiveLock(Duration.ofMinutes(5), Duration.ZERO);
            shop.charge(customer);
        }
    }

    public boolean now() throws Throwable {
        LockingTaskExecutor executor = new DefaultLockingTaskExecutor(lockProvider);
        LockConfiguration lock =
                new LockConfiguration(Instant.now(), "stock-taking", Duration.ofMinutes(30), Duration.ofMinutes(1));
        return executor.executeWithLock(() -> done(), lock).wasExecuted();
    }

    private boolean done() {
        shop.charge(0);
        return true;
    }
}
