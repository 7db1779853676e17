package io.holdfast.lock.spring.integration;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.RemoteLock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.springframework.integration.support.locks.DistributedLock;

/** One lock of a {@link HoldfastLockRegistry}. It is stateless: all instances for a key are the same lock. */
record RegistryLock(LockTemplate locks, LockRequest request) implements DistributedLock {

    /** Views of a key share their state, so {@link #unlock} releases what any of them locks. */
    private RemoteLock view() {
        return locks.getLock(request);
    }

    private RemoteLock lasting(Duration ttl) {
        return locks.getLock(request.lease(ttl));
    }

    @Override
    public void lock() {
        view().lock();
    }

    @Override
    public void lock(Duration ttl) {
        lasting(ttl).lock();
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        view().lockInterruptibly();
    }

    @Override
    public boolean tryLock() {
        return view().tryLock();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return view().tryLock(time, unit);
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        return lasting(ttl).tryLock(TimeUnit.NANOSECONDS.convert(waitTime), TimeUnit.NANOSECONDS);
    }

    @Override
    public void unlock() {
        view().unlock();
    }

    @Override
    public Condition newCondition() {
        return view().newCondition();
    }

    @Override
    public String toString() {
        return "RegistryLock[" + view() + "]";
    }
}
