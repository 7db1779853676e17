package io.holdfast.lock.migration.lock4j;

import com.baomidou.lock.LockFailureStrategy;
import com.baomidou.lock.LockKeyBuilder;
import com.baomidou.lock.annotation.Lock4j;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.migration.Shop;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import java.lang.reflect.Method;
import java.time.Duration;
import org.aopalliance.intercept.MethodInvocation;

/** How a shop locks with Lock4j. */
public class Lock4jMigrated {

    private final Shop shop;
    private final LockTemplate lockTemplate;

    public Lock4jMigrated(Shop shop, LockTemplate lockTemplate) {
        this.shop = shop;
        this.lockTemplate = lockTemplate;
    }

    @DistributedLock(name = "order", key = "#id", lease = 10, renew = false, waitFor = 2)
    public void keys(long id) {
        shop.charge(id);
    }

    @DistributedLock(name = "branch-order", key = "parts(#branch, #id)", waitFor = 3)
    public void parts(String branch, long id) {
        shop.charge(id);
    }

    @DistributedLock(name = "Lock4jMigrated.method", waitFor = 3)
    public void method() {
        shop.charge(0);
    }

    // Holdfast: this method is still locked by Lock4j: migrate its failStrategy; see
    // docs/migration/lock4j.md#failstrategy
    @Lock4j(name = "order", keys = "#id", acquireTimeout = 0, failStrategy = OrderIsBusy.class)
    public void strategy(long id) {
        shop.charge(id);
    }

    // Holdfast: migrated methods do not call strategies; see docs/migration/lock4j.md#failstrategy
    public static class OrderIsBusy implements LockFailureStrategy {
        @Override
        public void onLockFailure(String key, Method method, Object[] arguments) {
            throw new IllegalStateException("Order " + arguments[0] + " is busy");
        }
    }

    // Holdfast: this method is still locked by Lock4j: migrate its keyBuilderStrategy; see
    // docs/migration/lock4j.md#keybuilderstrategy
    @Lock4j(name = "branch-order", keys = "#id", acquireTimeout = 0, keyBuilderStrategy = TenantKeys.class)
    public void builder(long id) {
        shop.charge(id);
    }

    // Holdfast: migrated methods do not call key builders; see docs/migration/lock4j.md#keybuilderstrategy
    public static class TenantKeys implements LockKeyBuilder {
        private final Tenants tenants;

        public TenantKeys(Tenants tenants) {
            this.tenants = tenants;
        }

        @Override
        public String buildKey(MethodInvocation invocation, String[] keys) {
            return tenants.current() + "." + invocation.getArguments()[0];
        }
    }

    @DistributedLock(name = "report", minHold = 60, waitFor = 0, onContention = OnContention.SKIP)
    public void once() {
        shop.charge(0);
    }

    public static class Silence implements LockFailureStrategy {
        @Override
        public void onLockFailure(String key, Method method, Object[] arguments) {}
    }

    public void template(long id) {
        LockHandle lock = lockTemplate
                .tryAcquire(LockRequest.of("order:" + id)
                        .lease(Duration.ofSeconds(10))
                        .renew(false)
                        .waitFor(Duration.ofSeconds(2)))
                .orElse(null);
        if (lock == null) {
            throw new IllegalStateException("Order " + id + " is busy");
        }
        try {
            shop.charge(id);
        } finally {
            lock.close();
        }
    }

    /** A bean of the application. */
    public interface Tenants {
        String current();
    }
}
