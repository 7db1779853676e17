package io.holdfast.lock.spring.transaction;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The locks of one running transaction: those that it keeps, with one more handle for each, acquired by reentry and so without
 * a round trip; and the names of those that were acquired inside it. Spring calls it when the transaction has ended, whether or
 * not it was committed, and sets it aside while the transaction is suspended.
 *
 * <p>It is found among the synchronizations of the running transaction, and nowhere else. Spring keeps these per transaction, so
 * a lock cannot join another transaction, whatever runs in which callback, and nothing is left on the thread. A resource that is
 * bound to the thread would have to be unbound and bound in step with Spring, which is not possible in all callbacks: after the
 * completion, Spring begins new transactions without suspending anything. Each look-up lists all synchronizations; next to a
 * call to Redis, that costs little.
 *
 * <p>Spring drops a synchronization that is registered while the transaction is being suspended, and those that follow one whose
 * {@code resume()} throws. Therefore a lock that is acquired in a {@code suspend()} is not kept, and this object comes first.
 *
 * <p>Other resources write at the end too: a {@code RedisTemplate} with transaction support sends its commands after
 * the database's commit, in a synchronization that it registers with the first of them, so after this one. For that reason
 * the release is registered once more when the transaction is about to end. Being the last one of its order, it is called last.
 *
 * <p>Used by the transaction's thread; only its end may be reported on another thread.
 */
final class TransactionLocks implements TransactionSynchronization {

    private static final Logger log = LoggerFactory.getLogger(JoinedTransactions.class);

    /** A handle that renews and one that does not cannot replace each other. */
    private record Use(LockTemplate locks, LockRequest request) {}

    private final Object owner;
    private final boolean suspending = isSuspending(TransactionSynchronizationManager.getSynchronizations());
    private final Set<Use> uses = new HashSet<>();
    private final Deque<LockHandle> handles = new ArrayDeque<>();
    /** The locks that were acquired inside, and may be released inside, too: keys, mapped to names. */
    final Map<LockKey, String> acquired = new HashMap<>();

    private @Nullable TransactionSynchronization release;

    private TransactionLocks(Object owner) {
        this.owner = owner;
    }

    /** The locks of the transaction that is running on this thread, if it has any; needs active synchronization. */
    static @Nullable TransactionLocks existing(Object owner) {
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof TransactionLocks locks && locks.owner == owner) {
                return locks;
            }
        }
        return null;
    }

    /** The locks of the transaction that is running on this thread, which needs active synchronization. */
    static TransactionLocks current(Object owner) {
        TransactionLocks known = existing(owner);
        if (known != null) {
            return known;
        }
        var created = new TransactionLocks(owner);
        if (!created.suspending) {
            TransactionSynchronizationManager.registerSynchronization(created);
            created.beforeCompletion();
        }
        return created;
    }

    /** Whether this thread is in the {@code suspend()} of one of them. */
    private static boolean isSuspending(List<TransactionSynchronization> all) {
        return !all.isEmpty()
                && StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                        .walk(stack ->
                                stack.anyMatch(frame -> frame.getMethodName().equals("suspend")
                                        && all.stream().anyMatch(frame.getDeclaringClass()::isInstance)));
    }

    /** Keeps a lock that the thread holds; does nothing if the lock is already kept, or cannot be. */
    void keep(LockRequest request, LockTemplate locks) {
        // With the shortest lease, so that the current lease is not extended; a renewed lease is still renewed.
        var use = new Use(
                locks,
                request.lease(LockRequest.MIN_LEASE)
                        .waitFor(Duration.ZERO)
                        .minHold(Duration.ZERO)
                        .interruptOnLoss(false));
        if (!suspending && !uses.contains(use)) {
            handles.push(locks.acquire(use.request()));
            uses.add(use);
        }
    }

    @Override
    public void suspend() {
        acquired.clear();
    }

    /** Called on the transaction's thread, unlike the release, and not at all if other code ends the transaction. */
    @Override
    public void beforeCompletion() {
        acquired.clear();
        release = new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                if (release == this) {
                    release(status);
                }
            }
        };
        TransactionSynchronizationManager.registerSynchronization(release);
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    /** An exception thrown here would appear only in Spring's log. */
    private void release(int status) {
        for (LockHandle handle : handles) {
            try {
                handle.close();
            } catch (LockLostException lost) {
                log.warn(
                        "A transaction that held a lock was {}: {}",
                        status == STATUS_ROLLED_BACK
                                ? "rolled back, because the lock was lost before the commit"
                                : "committed or left in doubt, although the lock was lost during the commit; another"
                                        + " holder with a greater fencing token may have written first",
                        lost.getMessage());
            } catch (RuntimeException | Error e) {
                log.warn("{} could not be released after a transaction completed", handle, e);
            }
        }
    }
}
