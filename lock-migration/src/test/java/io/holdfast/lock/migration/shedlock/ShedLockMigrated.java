package io.holdfast.lock.migration.shedlock;

import io.holdfast.lock.migration.Shop;
import io.holdfast.lock.spring.LockAssert;
import io.holdfast.lock.spring.LockContext;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import java.time.Duration;
import java.time.Instant;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** How a shop locks its jobs with ShedLock. */
public class ShedLockMigrated {

    private final Shop shop;
    private final LockProvider lockProvider;

    public ShedLockMigrated(Shop shop, LockProvider lockProvider) {
        this.shop = shop;
        this.lockProvider = lockProvider;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {

        // Holdfast: this provider is kept, because code uses it; see docs/migration/shedlock.md#configuration
        @Bean
        LockProvider lockProvider(RedisConnectionFactory redis) {
            return new RedisLockProvider(redis, "shop");
        }
    }

    // Holdfast: lockAtLeastFor is dropped, since this job runs once for each time of its schedule; if it was to run
    // less often, change the schedule; see docs/migration/shedlock.md#a-job
    @Scheduled(cron = "0 0 2 * * *")
    @OnOneInstance(name = "report", lease = "30m")
    public void report() {
        LockAssert.assertLocked();
        shop.charge(0);
    }

    @Scheduled(fixedDelay = 600_000, initialDelay = 600_000)
    @OnOneInstance(name = "clean-up")
    public void cleanUp() {
        shop.charge(0);
    }

    @DistributedLock(
            name = "sync",
            key = "#branch",
            minHoldString = "10s",
            leaseString = "10m",
            renew = false,
            waitFor = 0,
            onContention = OnContention.SKIP)
    public void sync(String branch) {
        shop.charge(0);
    }

    @DistributedLock(
            name = "invoices",
            leaseString = "5m",
            renew = false,
            waitFor = 0,
            onContention = OnContention.SKIP)
    public void invoices() {
        for (long customer = 0; customer < 3; customer++) {
            LockContext.current().orElseThrow().extend(Duration.ofMinutes(5));
            shop.charge(customer);
        }
    }

    public boolean now() throws Throwable {
        // Holdfast: this still uses ShedLock, and does not exclude what Holdfast locks; see
        // docs/migration/shedlock.md#without-annotations
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
