package io.holdfast.lock.migration.redisson;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.RemoteReadWriteLock;
import io.holdfast.lock.migration.BothLocks;
import io.holdfast.lock.migration.Shop;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.redisson.api.RedissonClient;

/** The same with Holdfast. */
final class RedissonAfter {

    private final LockTemplate lockTemplate;
    private final Shop shop;

    RedissonAfter(LockTemplate lockTemplate, Shop shop) {
        this.lockTemplate = lockTemplate;
        this.shop = shop;
    }

    void lock(long id) {
        Lock lock = lockTemplate.getLock("order:" + id);
        lock.lock();
        try {
            shop.charge(id);
        } finally {
            lock.unlock();
        }
    }

    // region execute
    void execute(long id) {
        lockTemplate.execute("order:" + id, () -> shop.charge(id));
    }
    // endregion

    boolean tryLock(long id) {
        return lockTemplate.tryExecute("order:" + id, () -> shop.charge(id)).executed();
    }

    // region lease
    void lease(long id) {
        LockRequest order = LockRequest.of("order:" + id)
                .waitFor(Duration.ofSeconds(2))
                .lease(Duration.ofSeconds(10)); // renewed; with .renew(false) it ends after 10 s
        lockTemplate.execute(order, () -> shop.charge(id));
    }
    // endregion

    void fair(long id) {
        Lock lock = lockTemplate.getFairLock("order:" + id);
        lock.lock();
        try {
            shop.charge(id);
        } finally {
            lock.unlock();
        }
    }

    long read(long id) {
        RemoteReadWriteLock lock = lockTemplate.getReadWriteLock("price:" + id);
        lock.readLock().lock();
        try {
            return shop.price(id);
        } finally {
            lock.readLock().unlock();
        }
    }

    void write(long id) {
        RemoteReadWriteLock lock = lockTemplate.getReadWriteLock("price:" + id);
        lock.writeLock().lock();
        try {
            shop.reprice(id);
        } finally {
            lock.writeLock().unlock();
        }
    }

    void permit(long id) throws InterruptedException {
        Lock gateway = lockTemplate.getSemaphore("gateway", 2);
        gateway.lockInterruptibly();
        try {
            shop.charge(id);
        } finally {
            gateway.unlock();
        }
    }

    boolean expirable(long id) {
        Optional<LockHandle> permit = lockTemplate.tryAcquire(LockRequest.of("gateway:expirable")
                .shared(2)
                .waitFor(Duration.ofSeconds(2))
                .lease(Duration.ofSeconds(10))
                .renew(false));
        if (permit.isEmpty()) {
            return false;
        }
        try (LockHandle held = permit.get()) {
            shop.charge(id);
            return true;
        }
    }

    LockHandle take() {
        return lockTemplate.acquire(LockRequest.of("gateway").shared(2)).detach();
    }

    void multi(long first, long second) {
        LockRequest orders = LockRequest.ofAll(List.of("order:" + first, "order:" + second));
        lockTemplate.execute(orders, () -> shop.chargeAll(first, second));
    }

    void fenced(long id) {
        try (LockHandle lock = lockTemplate.acquire("fenced:" + id)) {
            shop.charge(id, lock.fencingToken());
        }
    }

    CompletionStage<Void> async(long id, Supplier<CompletionStage<Void>> charge) {
        return lockTemplate.executeAsync("order:" + id, charge);
    }

    void askAbout(long id) {
        LockStatus order = lockTemplate.inspect("order:" + id);
        boolean thisThreadHasIt = lockTemplate.getLock("order:" + id).isHeldByCurrentThread();
        boolean forLong = order.holder()
                .filter(holder -> holder.remaining().toMinutes() > 5)
                .isPresent();
        if (forLong && !thisThreadHasIt) {
            lockTemplate.forceRelease("order:" + id);
        }
    }

    static Lock order(long id, RedissonClient redisson, LockTemplate lockTemplate) {
        return new BothLocks(redisson.getLock("order:" + id), lockTemplate.getLock("order:" + id));
    }
}
