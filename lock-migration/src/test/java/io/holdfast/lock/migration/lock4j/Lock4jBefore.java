package io.holdfast.lock.migration.lock4j;

import com.baomidou.lock.LockFailureStrategy;
import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockKeyBuilder;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.annotation.Lock4j;
import io.holdfast.lock.migration.Shop;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;

/** How a shop locks with Lock4j. */
public class Lock4jBefore {

    private final Shop shop;
    private final LockTemplate lockTemplate;

    public Lock4jBefore(Shop shop, LockTemplate lockTemplate) {
        this.shop = shop;
        this.lockTemplate = lockTemplate;
    }

    // region keys
    @Lock4j(name = "order", keys = "#id", expire = 10_000, acquireTimeout = 2_000)
    public void keys(long id) {
        shop.charge(id);
    }
    // endregion

    @Lock4j(
            name = "branch-order",
            keys = {"#branch", "#id"})
    public void parts(String branch, long id) {
        shop.charge(id);
    }

    @Lock4j
    public void method() {
        shop.charge(0);
    }

    @Lock4j(name = "order", keys = "#id", acquireTimeout = 0, failStrategy = OrderIsBusy.class)
    public void strategy(long id) {
        shop.charge(id);
    }

    public static class OrderIsBusy implements LockFailureStrategy {
        @Override
        public void onLockFailure(String key, Method method, Object[] arguments) {
            throw new IllegalStateException("Order " + arguments[0] + " is busy");
        }
    }

    @Lock4j(name = "branch-order", keys = "#id", acquireTimeout = 0, keyBuilderStrategy = TenantKeys.class)
    public void builder(long id) {
        shop.charge(id);
    }

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

    @Lock4j(name = "report", expire = 60_000, acquireTimeout = 0, autoRelease = false, failStrategy = Silence.class)
    public void once() {
        shop.charge(0);
    }

    public static class Silence implements LockFailureStrategy {
        @Override
        public void onLockFailure(String key, Method method, Object[] arguments) {}
    }

    public void template(long id) {
        LockInfo lock = lockTemplate.lock("order:" + id, 10_000, 2_000);
        if (lock == null) {
            throw new IllegalStateException("Order " + id + " is busy");
        }
        try {
            shop.charge(id);
        } finally {
            lockTemplate.releaseLock(lock);
        }
    }

    /** A bean of the application. */
    public interface Tenants {
        String current();
    }
}
