package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.waiting.Budget;
import io.holdfast.lock.waiting.PollingWaiter;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition at the store, from the first try to a grant or to nothing.
 *
 * <p>All tries share one owner id. Whatever ends the acquisition without a grant leaves nothing behind: if every try was
 * answered, the waiter's seat is given up; if the outcome of a try is unknown, the acquisition is undone and buried, and
 * its owner id is never sent again.
 *
 * <p>A grant whose answer came after its own deadline is no grant: it is undone, and the acquisition starts over, with
 * another owner id, within the same budget. The deadline counts from before that very try was sent.
 */
final class Acquisition {

    /** What came of it. */
    sealed interface Result {

        record Granted(OwnerId owner, long token, long sentAt, boolean resent) implements Result {}

        record Refused(@Nullable LockHolder holder) implements Result {}
    }

    private final LockStore store;
    private final Cleanup cleanup;
    private final PollingWaiter waiter;
    private final Ticker ticker;
    private final Supplier<OwnerId> ownerIds;
    private final LockKey key;
    private final long leaseMillis;
    private final HolderInfo holder;

    private OwnerId owner;
    private boolean seated;
    private boolean resent;
    private long sentAt;

    Acquisition(Client client, PollingWaiter waiter, LockKey key, long leaseNanos, HolderInfo holder) {
        this.store = client.store();
        this.cleanup = client.cleanup();
        this.ticker = client.ticker();
        this.ownerIds = client::nextOwner;
        this.waiter = waiter;
        this.key = key;
        this.leaseMillis = TimeUnit.NANOSECONDS.toMillis(leaseNanos);
        this.holder = holder;
        this.owner = ownerIds.get();
    }

    Result run(Budget budget, boolean interruptible) throws InterruptedException {
        while (true) {
            AcquireReply reply = askUntilAnswered(budget, interruptible);
            if (reply instanceof AcquireReply.Held held) {
                giveUpSeat();
                return new Result.Refused(held.holder());
            }
            if (reply instanceof AcquireReply.Granted granted && ticker.nanos() - sentAt < leaseNanos()) {
                return new Result.Granted(owner, granted.token(), sentAt, resent);
            }
            cleanup.undo(key, owner, leaseNanos());
            if (budget.remainingNanos() == 0) {
                return new Result.Refused(null);
            }
            owner = ownerIds.get();
            seated = false;
            resent = false;
        }
    }

    private AcquireReply askUntilAnswered(Budget budget, boolean interruptible) throws InterruptedException {
        boolean answered = false;
        try {
            AcquireReply reply = waiter.await(waiting -> ask(waiting, interruptible), budget, interruptible);
            answered = true;
            return reply;
        } catch (InterruptedException e) {
            answered = true;
            giveUpSeat();
            throw e;
        } catch (LockStoreException e) {
            answered = !e.outcomeUnknown();
            if (answered) {
                giveUpSeat();
            }
            if (interruptible && Thread.interrupted()) {
                throw interrupted(e);
            }
            throw e;
        } finally {
            if (!answered) {
                cleanup.undo(key, owner, leaseNanos());
            }
        }
    }

    private AcquireReply ask(boolean waiting, boolean interruptible) {
        seated = waiting;
        sentAt = ticker.nanos();
        AcquireRequest request = new AcquireRequest(key, owner, leaseMillis, holder, waiting);
        int[] sends = {0};
        AcquireReply reply = interruptible
                ? store.acquire(request)
                : Shielded.call(() -> {
                    sends[0]++;
                    return store.acquire(request);
                });
        resent |= sends[0] > 1 || isResent(reply);
        return reply;
    }

    private static boolean isResent(AcquireReply reply) {
        return (reply instanceof AcquireReply.Granted granted && granted.resent())
                || (reply instanceof AcquireReply.Held held && held.resent());
    }

    /** If a send was not answered it may still arrive, so the acquisition is buried as well. */
    private void giveUpSeat() {
        if (resent) {
            cleanup.undo(key, owner, leaseNanos());
        } else if (seated) {
            cleanup.leave(key, owner);
        }
    }

    /** The driver gave up its answer because the thread was interrupted. */
    private static InterruptedException interrupted(LockStoreException failure) {
        var interrupt = new InterruptedException("Interrupted while Redis was asked");
        interrupt.initCause(failure);
        return interrupt;
    }

    private long leaseNanos() {
        return TimeUnit.MILLISECONDS.toNanos(leaseMillis);
    }
}
