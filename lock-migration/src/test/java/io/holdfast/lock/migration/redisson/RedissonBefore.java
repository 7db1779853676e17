package io.holdfast.lock.migration.redisson;

import io.holdfast.lock.migration.Shop;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** How a shop locks with Redisson. */
@SuppressWarnings("FutureReturnValueIgnored")
final class RedissonBefore {

    private final RedissonClient redisson;
    private final Shop shop;

    RedissonBefore(RedissonClient redisson, Shop shop) {
        this.redisson = redisson;
        this.shop = shop;
    }

    static RedissonClient client(String address) {
        Config config = new Config();
        config.setLockWatchdogTimeout(20_000);
        config.useSingleServer().setAddress(address);
        return Redisson.create(config);
    }

    // region lock
    void lock(long id) {
        RLock lock = redisson.getLock("order:" + id);
        lock.lock();
        try {
            shop.charge(id);
        } finally {
            lock.unlock();
        }
    }
    // endregion

    boolean tryLock(long id) {
        RLock lock = redisson.getLock("order:" + id);
        if (!lock.tryLock()) {
            return false;
        }
        try {
            shop.charge(id);
            return true;
        } finally {
            lock.unlock();
        }
    }

    void lease(long id) throws InterruptedException {
        RLock lock = redisson.getLock("order:" + id);
        if (!lock.tryLock(2, 10, TimeUnit.SECONDS)) {
            throw new IllegalStateException("Order " + id + " is busy");
        }
        try {
            shop.charge(id);
        } finally {
            lock.unlock();
        }
    }

    void fair(long id) {
        RLock lock = redisson.getFairLock("order:" + id);
        lock.lock();
        try {
            shop.charge(id);
        } finally {
            lock.unlock();
        }
    }

    long read(long id) {
        RReadWriteLock lock = redisson.getReadWriteLock("price:" + id);
        lock.readLock().lock();
        try {
            return shop.price(id);
        } finally {
            lock.readLock().unlock();
        }
    }

    void write(long id) {
        RReadWriteLock lock = redisson.getReadWriteLock("price:" + id);
        lock.writeLock().lock();
        try {
            shop.reprice(id);
        } finally {
            lock.writeLock().unlock();
        }
    }

    void permit(long id) throws InterruptedException {
        RSemaphore gateway = redisson.getSemaphore("gateway");
        gateway.trySetPermits(2);
        gateway.acquire();
        try {
            shop.charge(id);
        } finally {
            gateway.release();
        }
    }

    boolean expirable(long id) throws InterruptedException {
        RPermitExpirableSemaphore gateway = redisson.getPermitExpirableSemaphore("gateway:expirable");
        gateway.trySetPermits(2);
        String permit = gateway.tryAcquire(2, 10, TimeUnit.SECONDS);
        if (permit == null) {
            return false;
        }
        try {
            shop.charge(id);
            return true;
        } finally {
            gateway.release(permit);
        }
    }

    void multi(long first, long second) {
        RLock lock = redisson.getMultiLock(redisson.getLock("order:" + first), redisson.getLock("order:" + second));
        lock.lock();
        try {
            shop.chargeAll(first, second);
        } finally {
            lock.unlock();
        }
    }

    static void red(long id, Shop shop, RedissonClient a, RedissonClient b, RedissonClient c) {
        String key = "order:" + id;
        RLock lock = a.getRedLock(a.getLock(key), b.getLock(key), c.getLock(key));
        lock.lock();
        try {
            shop.charge(id);
        } finally {
            lock.unlock();
        }
    }

    void fenced(long id) {
        RFencedLock lock = redisson.getFencedLock("fenced:" + id);
        long token = lock.lockAndGetToken();
        try {
            shop.charge(id, token);
        } finally {
            lock.unlock();
        }
    }

    CompletionStage<Void> async(long id, Supplier<CompletionStage<Void>> charge) {
        RLock lock = redisson.getLock("order:" + id);
        long owner = ThreadLocalRandom.current().nextLong();
        return lock.lockAsync(owner)
                .thenCompose(locked -> charge.get())
                .whenComplete((done, failure) -> lock.unlockAsync(owner));
    }

    void askAbout(long id) {
        RLock lock = redisson.getLock("order:" + id);
        boolean somebodyHasIt = lock.isLocked();
        boolean thisThreadHasIt = lock.isHeldByCurrentThread();
        Duration left = Duration.ofMillis(lock.remainTimeToLive());
        if (somebodyHasIt && !thisThreadHasIt && left.toMinutes() > 5) {
            lock.forceUnlock();
        }
    }
}
