package io.holdfast.lock.migration.redisson;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.RemoteLock;
import io.holdfast.lock.api.RemoteReadWriteLock;
import io.holdfast.lock.migration.Shop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** How a shop locks with Redisson. */
@SuppressWarnings("FutureReturnValueIgnored")
final class RedissonMigrated {

    private final RedissonClient redisson;
    private final LockTemplate lockTemplate;
    private final Shop shop;

    RedissonMigrated(RedissonClient redisson, LockTemplate lockTemplate, Shop shop) {
        this.redisson = redisson;
        this.lockTemplate = lockTemplate;
        this.shop = shop;
    }

    static RedissonClient client(String address) {
        Config config = new Config();
        // Holdfast: holdfast.lease replaces the watchdog timeout; see docs/migration/redisson.md#configuration
        config.setLockWatchdogTimeout(20_000);
        // Holdfast: locks do not use this address: set spring.data.redis or holdfast.redis.url, or they are kept at
        // localhost:6379; see docs/migration/redisson.md#settings-of-the-client
        config.useSingleServer().setAddress(address);
        return Redisson.create(config);
    }

    void lock(long id) {
        RemoteLock lock = lockTemplate.getLock("order:" + id);
        lock.lock();
        try {
            shop.charge(id);
        } finally {
            lock.unlock();
        }
    }

    boolean tryLock(long id) {
        RemoteLock lock = lockTemplate.getLock("order:" + id);
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
        RemoteLock lock = lockTemplate.getLock(
                LockRequest.of("order:" + id).lease(Duration.ofSeconds(10)).renew(false));
        if (!lock.tryLock(2, TimeUnit.SECONDS)) {
            throw new IllegalStateException("Order " + id + " is busy");
        }
        try {
            shop.charge(id);
        } finally {
            lock.unlock();
        }
    }

    void fair(long id) {
        RemoteLock lock = lockTemplate.getFairLock("order:" + id);
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
        RemoteLock gateway = lockTemplate.getSemaphore("gateway", 2);
        gateway.lockInterruptibly();
        try {
            shop.charge(id);
        } finally {
            gateway.unlock();
        }
    }

    boolean expirable(long id) throws InterruptedException {
        // Holdfast: this still uses Redisson, and does not exclude what Holdfast locks; see
        // docs/migration/redisson.md#semaphore
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
        RemoteLock lock = lockTemplate.getLock(LockRequest.ofAll(List.of("order:" + first, "order:" + second)));
        lock.lock();
        try {
            shop.chargeAll(first, second);
        } finally {
            lock.unlock();
        }
    }

    static void red(long id, Shop shop, RedissonClient a, RedissonClient b, RedissonClient c) {
        String key = "order:" + id;
        // Holdfast: this still uses Redisson: in Holdfast, a lock on several servers is configured in properties
        // (holdfast.quorum); see docs/migration/redisson.md#redlock
        RLock lock = a.getRedLock(a.getLock(key), b.getLock(key), c.getLock(key));
        lock.lock();
        try {
            shop.charge(id);
        } finally {
            lock.unlock();
        }
    }

    void fenced(long id) {
        RemoteLock lock = lockTemplate.getLock("fenced:" + id);
        lock.lock();
        long token = lock.fencingToken();
        try {
            shop.charge(id, token);
        } finally {
            lock.unlock();
        }
    }

    CompletionStage<Void> async(long id, Supplier<CompletionStage<Void>> charge) {
        // Holdfast: this still uses Redisson: lockAsync is not migrated; see docs/migration/redisson.md#asynchronous
        RLock lock = redisson.getLock("order:" + id);
        long owner = ThreadLocalRandom.current().nextLong();
        return lock.lockAsync(owner)
                .thenCompose(locked -> charge.get())
                .whenComplete((done, failure) -> lock.unlockAsync(owner));
    }

    void askAbout(long id) {
        // Holdfast: this still uses Redisson: remainTimeToLive is not migrated; see
        // docs/migration/redisson.md#inspection-and-forced-release
        RLock lock = redisson.getLock("order:" + id);
        boolean somebodyHasIt = lock.isLocked();
        boolean thisThreadHasIt = lock.isHeldByCurrentThread();
        Duration left = Duration.ofMillis(lock.remainTimeToLive());
        if (somebodyHasIt && !thisThreadHasIt && left.toMinutes() > 5) {
            lock.forceUnlock();
        }
    }
}
