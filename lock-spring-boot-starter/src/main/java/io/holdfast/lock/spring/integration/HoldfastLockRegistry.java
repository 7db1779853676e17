package io.holdfast.lock.spring.integration;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.RemoteLock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.integration.util.CheckedCallable;
import org.springframework.integration.util.CheckedRunnable;
import org.springframework.util.Assert;

/**
 * The locks of a {@link LockTemplate} for Spring Integration: for aggregators, leader election, and anything else that takes a
 * {@link org.springframework.integration.support.locks.LockRegistry}. As a replacement for {@code RedisLockRegistry}:
 *
 * <pre>{@code
 * @Bean
 * HoldfastLockRegistry lockRegistry(LockTemplate locks) {
 *     return new HoldfastLockRegistry(locks, "orders");
 * }
 * }</pre>
 *
 * <p>{@code obtain("42")} is then the same lock as {@code locks.getLock("orders:42")}.
 *
 * <p>Its locks are reentrant and bound to their thread. The time to live of {@code RedisLockRegistry} corresponds to the lease
 * here: how long a lock survives its holder. It is renewed while the holder is alive, without a scheduler, unless the
 * settings disable that. The exceptions are those of {@link io.holdfast.lock.api.RemoteLock}.
 *
 * <p>Thread-safe. It has no cache of locks, so nothing needs to expire.
 */
public final class HoldfastLockRegistry
        implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

    private final LockTemplate locks;
    private final String registryKey;
    private final UnaryOperator<LockRequest> settings;

    /**
     * Creates a registry with leases of {@code holdfast.lease}.
     *
     * @param locks keeps the locks
     * @param registryKey first part of each key, before a colon
     */
    public HoldfastLockRegistry(LockTemplate locks, String registryKey) {
        this(locks, registryKey, UnaryOperator.identity());
    }

    /**
     * Creates a registry with its own lease.
     *
     * @param locks keeps the locks
     * @param registryKey first part of each key, before a colon
     * @param lease how long a lock survives without renewal; 100 ms to 365 days
     * @throws IllegalArgumentException if the lease is out of range
     */
    public HoldfastLockRegistry(LockTemplate locks, String registryKey, Duration lease) {
        this(locks, registryKey, request -> request.lease(lease));
        LockRequest.of("lease").lease(lease);
    }

    /**
     * Creates a registry with its own settings.
     *
     * @param locks keeps the locks
     * @param registryKey first part of each key, before a colon
     * @param settings changes the request for each lock: {@code request -> request.fair(true)}. It must not change the
     *     key; its {@code waitFor} is not used
     */
    public HoldfastLockRegistry(LockTemplate locks, String registryKey, UnaryOperator<LockRequest> settings) {
        Assert.notNull(locks, "'locks' must not be null");
        Assert.notNull(registryKey, "'registryKey' must not be null");
        this.locks = locks;
        this.registryKey = registryKey;
        this.settings = settings;
    }

    /**
     * Returns the lock of a key.
     *
     * @param lockKey a String; the text of other objects may differ between processes
     * @return a view; all views of a key are the same lock
     * @throws IllegalArgumentException if it is not a {@link String}
     * @throws io.holdfast.lock.api.LockKeyException if the text cannot be part of a key
     */
    @Override
    public DistributedLock obtain(Object lockKey) {
        return new RegistryLock(locks, request(lockKey));
    }

    private LockRequest request(Object lockKey) {
        Assert.isInstanceOf(String.class, lockKey, "A lock key must be a String: ");
        return settings.apply(LockRequest.of(registryKey + ':' + lockKey));
    }

    /** Does nothing, because there is no cache of locks. */
    @Override
    public void expireUnusedOlderThan(long age) {}

    /**
     * Extends a lock that is not renewed to at least its lease from now. A renewed lock, the default, needs no extension: for
     * such a lock, this method checks with the store that it is still held.
     *
     * @param lockKey a lock that the current thread holds
     * @throws IllegalStateException if the thread does not hold it, or has lost it
     * @throws io.holdfast.lock.api.LockStoreException if the store rejected the call or did not respond
     */
    @Override
    public void renewLock(Object lockKey) {
        renew(request(lockKey), null);
    }

    /**
     * Extends the lock to at least the given time from now. Never shortens a lease.
     *
     * @param lockKey a lock that the current thread holds
     * @param ttl 100 ms to 365 days
     * @throws IllegalStateException if the thread does not hold it, or has lost it
     * @throws IllegalArgumentException if the time is out of range
     * @throws io.holdfast.lock.api.LockStoreException if the store rejected the call or did not respond
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        renew(request(lockKey), ttl);
    }

    private void renew(LockRequest request, @Nullable Duration lease) {
        RemoteLock lock = locks.getLock(request);
        if (lock.holdCount() == 0) {
            throw new IllegalStateException(
                    "Lock '" + lock.key() + "' cannot be renewed, because the current thread does not hold it.");
        }
        LockRequest plain = request.renew(false).minHold(Duration.ZERO);
        // A reentrant acquisition extends the lock to its lease if necessary; any other time is applied afterwards.
        try (LockHandle handle = locks.acquire(lease == null ? plain : plain.lease(LockRequest.MIN_LEASE))) {
            handle.extend(lease == null ? LockRequest.MIN_LEASE : lease);
        } catch (LockLostException lost) {
            throw new IllegalStateException("Lock '" + lock.key() + "' cannot be renewed, because it was lost.", lost);
        }
    }

    @Override
    public <E extends Throwable> void executeLocked(Object lockKey, CheckedRunnable<E> runnable)
            throws E, InterruptedException {
        this.<Boolean, E>executeLocked(lockKey, asCallable(runnable));
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> T executeLocked(
            Object lockKey, CheckedCallable<T, E> callable) throws E, InterruptedException {
        Lock lock = obtain(lockKey);
        lock.lockInterruptibly();
        return run(lock, callable);
    }

    @Override
    public <E extends Throwable> void executeLocked(
            Object lockKey, Duration waitLockDuration, CheckedRunnable<E> runnable)
            throws E, InterruptedException, TimeoutException {
        this.<Boolean, E>executeLocked(lockKey, waitLockDuration, asCallable(runnable));
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> T executeLocked(
            Object lockKey, Duration waitLockDuration, CheckedCallable<T, E> callable)
            throws E, InterruptedException, TimeoutException {
        RemoteLock lock = locks.getLock(request(lockKey));
        if (!lock.tryLock(TimeUnit.NANOSECONDS.convert(waitLockDuration), TimeUnit.NANOSECONDS)) {
            throw new TimeoutException(
                    "Lock '" + lock.key() + "' was not acquired within " + DurationText.of(waitLockDuration));
        }
        return run(lock, callable);
    }

    /** As everywhere in Holdfast, an exception thrown by the work is kept as a suppressed exception if the lock was lost. */
    private static <T extends @Nullable Object, E extends Throwable> T run(Lock lock, CheckedCallable<T, E> work)
            throws E {
        T result;
        try {
            result = work.call();
        } catch (Throwable failure) {
            try {
                lock.unlock();
            } catch (LockLostException lost) {
                lost.addSuppressed(failure);
                throw lost;
            }
            throw failure;
        }
        lock.unlock();
        return result;
    }

    private static <E extends Throwable> CheckedCallable<Boolean, E> asCallable(CheckedRunnable<E> runnable) {
        return () -> {
            runnable.run();
            return true;
        };
    }

    @Override
    public String toString() {
        return "HoldfastLockRegistry[" + registryKey + "]";
    }
}
