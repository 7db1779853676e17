package io.holdfast.lock.spring.integration;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.RemoteLock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;

/** One lock of a {@link HoldfastLockRegistry}. It is stateless: all instances for a key are the same lock. */
final class RegistryLock implements DistributedLock {

    private final LockTemplate locks;
    private final LockRequest request;
    private final RemoteLock lock;

    RegistryLock(LockTemplate locks, LockRequest request) {
        this.locks = locks;
        this.request = request;
        this.lock = locks.getLock(request);
    }

    @Override
    public void lock() {
        lock.lock();
    }

    @Override
    public void lock(Duration ttl) {
        lasting(ttl).lock();
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        lock.lockInterruptibly();
    }

    @Override
    public boolean tryLock() {
        return lock.tryLock();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return lock.tryLock(time, unit);
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        return lasting(ttl).tryLock(TimeUnit.NANOSECONDS.convert(waitTime), TimeUnit.NANOSECONDS);
    }

    /** Views of a key share their state, so {@link #unlock} releases what this view locks. */
    private RemoteLock lasting(Duration ttl) {
        return locks.getLock(request.lease(ttl));
    }

    @Override
    public void unlock() {
        lock.unlock();
    }

    @Override
    public Condition newCondition() {
        return lock.newCondition();
    }

    /** Whether the other lock has the same request and the same template. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RegistryLock same && same.locks == locks && same.request.equals(request);
    }

    @Override
    public int hashCode() {
        return request.hashCode();
    }

    @Override
    public String toString() {
        return "RegistryLock[" + lock + "]";
    }
}
