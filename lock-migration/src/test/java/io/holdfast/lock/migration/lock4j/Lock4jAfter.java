package io.holdfast.lock.migration.lock4j;

import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.migration.Shop;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import java.time.Duration;

/** The same with Holdfast. */
@SuppressWarnings("UnusedMethod") // fallbacks
public class Lock4jAfter {

    private final Shop shop;
    private final LockTemplate lockTemplate;

    public Lock4jAfter(Shop shop, LockTemplate lockTemplate) {
        this.shop = shop;
        this.lockTemplate = lockTemplate;
    }

    // region keys
    @DistributedLock(name = "order", key = "#id", lease = 10, waitFor = 2)
    public void keys(long id) {
        shop.charge(id);
    }
    // endregion

    @DistributedLock(name = "branch-order", key = "parts(#branch, #id)")
    public void parts(String branch, long id) {
        shop.charge(id);
    }

    @DistributedLock(name = "stock-taking")
    public void method() {
        shop.charge(0);
    }

    @DistributedLock(name = "order", key = "#id", waitFor = 0, fallbackMethod = "busy")
    public void strategy(long id) {
        shop.charge(id);
    }

    private void busy(long id, LockNotAcquiredException e) {
        throw new IllegalStateException("Order " + id + " is busy", e);
    }

    @DistributedLock(name = "branch-order", key = "parts(@tenants.current(), #id)", waitFor = 0)
    public void builder(long id) {
        shop.charge(id);
    }

    @DistributedLock(name = "report", minHold = 60, waitFor = 0, onContention = OnContention.SKIP)
    public void once() {
        shop.charge(0);
    }

    public void template(long id) {
        LockRequest order =
                LockRequest.of("order:" + id).lease(Duration.ofSeconds(10)).waitFor(Duration.ofSeconds(2));
        lockTemplate.execute(order, () -> shop.charge(id));
    }
}
