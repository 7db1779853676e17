package io.holdfast.lock.spring.transaction;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The locks that a running transaction keeps: one more handle for each, by reentry, so without a round trip. Spring calls
 * it when the transaction has ended, whichever way, and keeps it aside while the transaction is suspended.
 *
 * <p>Other resources write at that moment too: a {@code RedisTemplate} with transaction support sends its commands after
 * the database's commit, in a synchronization that it registers at the first of them, so after this one. For that reason
 * the release is registered only when the transaction is about to end. Being the last one of its order, it is called last.
 *
 * <p>Used by the transaction's thread; only the end may come on another one.
 */
final class HeldUntilCompletion implements TransactionSynchronization {

    private static final Logger log = LoggerFactory.getLogger(JoinedTransactions.class);

    /** A handle that renews, and one that does not, do not stand in for each other. */
    private record Use(LockTemplate locks, LockRequest request) {}

    private final Object owner;
    private final Set<Use> uses = new HashSet<>();
    private final Deque<LockHandle> handles = new ArrayDeque<>();
    private boolean releasedLast;

    private HeldUntilCompletion(Object owner) {
        this.owner = owner;
    }

    /** The one of the transaction that runs on this thread, which needs active synchronization. */
    static HeldUntilCompletion inCurrentTransaction(Object owner) {
        if (TransactionSynchronizationManager.getResource(owner) instanceof HeldUntilCompletion known) {
            return known;
        }
        var created = new HeldUntilCompletion(owner);
        TransactionSynchronizationManager.registerSynchronization(created);
        created.resume();
        return created;
    }

    /** Keeps a lock that the thread holds; does nothing if it is kept already. */
    void keep(LockRequest request, LockTemplate locks) {
        var use = new Use(locks, reentry(request));
        if (!uses.contains(use)) {
            handles.push(locks.acquire(use.request()));
            uses.add(use);
        }
    }

    /** With the shortest lease, so that the running one is not extended; one that is renewed still is. */
    private static LockRequest reentry(LockRequest request) {
        return request.lease(LockRequest.MIN_LEASE)
                .waitFor(Duration.ZERO)
                .minHold(Duration.ZERO)
                .interruptOnLoss(false);
    }

    @Override
    public void suspend() {
        if (TransactionSynchronizationManager.getResource(owner) == this) {
            TransactionSynchronizationManager.unbindResource(owner);
        }
    }

    @Override
    public void resume() {
        TransactionSynchronizationManager.bindResource(owner, this);
    }

    /** Still on the transaction's thread, unlike what follows. */
    @Override
    public void beforeCompletion() {
        suspend();
        TransactionSynchronizationManager.registerSynchronization(new Release());
        releasedLast = true;
    }

    /** Without {@link #beforeCompletion} if somebody else ended the transaction, or it had ended before this was begun. */
    @Override
    public void afterCompletion(int status) {
        suspend();
        if (!releasedLast) {
            release(status);
        }
    }

    private void release(int status) {
        while (!handles.isEmpty()) {
            close(handles.pop(), status == STATUS_ROLLED_BACK);
        }
    }

    /** Registered after what others registered. */
    private final class Release implements TransactionSynchronization {

        @Override
        public void afterCompletion(int status) {
            release(status);
        }
    }

    /** Whatever is thrown here, nobody but Spring's log would learn of it. */
    private static void close(LockHandle handle, boolean rolledBack) {
        try {
            handle.close();
        } catch (LockLostException lost) {
            log.warn(
                    "A transaction that held a lock was {}: {}",
                    rolledBack
                            ? "rolled back, because the lock was lost before the commit"
                            : "committed or left in doubt, although the lock was lost during the commit; another"
                                    + " holder with a greater fencing token may have written first",
                    lost.getMessage());
        } catch (RuntimeException | Error e) {
            log.warn("{} could not be released after a transaction completed", handle, e);
        }
    }
}
