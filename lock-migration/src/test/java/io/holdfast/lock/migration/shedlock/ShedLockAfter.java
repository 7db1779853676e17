package io.holdfast.lock.migration.shedlock;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.migration.Shop;
import io.holdfast.lock.spring.LockAssert;
import io.holdfast.lock.spring.LockContext;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import java.time.Duration;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** The same with Holdfast. */
public class ShedLockAfter {

    private final Shop shop;
    private final LockTemplate lockTemplate;

    public ShedLockAfter(Shop shop, LockTemplate lockTemplate) {
        this.shop = shop;
        this.lockTemplate = lockTemplate;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    // region job
    @Scheduled(cron = "0 0 2 * * *")
    @OnOneInstance(name = "report")
    public void report() {
        LockAssert.assertLocked();
        shop.charge(0);
    }
    // endregion

    @Scheduled(fixedDelay = 600_000, initialDelay = 600_000)
    @OnOneInstance(name = "clean-up")
    public void cleanUp() {
        shop.charge(0);
    }

    @DistributedLock(name = "sync", key = "#branch", minHold = 10, waitFor = 0, onContention = OnContention.SKIP)
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
        LockHandle lock = LockContext.current().orElseThrow();
        for (long customer = 0; customer < 3; customer++) {
            lock.extend(Duration.ofMinutes(5));
            shop.charge(customer);
        }
    }

    public boolean now() {
        LockRequest stockTaking = LockRequest.of("stock-taking").minHold(Duration.ofMinutes(1));
        return lockTemplate.tryExecute(stockTaking, () -> shop.charge(0)).executed();
    }
}
