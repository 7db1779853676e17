package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.hold.AcquireResult;
import io.holdfast.lock.engine.hold.Handle;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.waiting.Budget;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Several locks, all or nothing. If they are all free, they are acquired together, by one call of the store. Otherwise they are
 * acquired one after another in the order of their keys, which is the same for every request. So each waiter waits for a key that is
 * greater than all keys it holds, and there is no cycle of waiters. One budget applies to all, and the acquisition waits in one
 * queue at a time.
 *
 * <p>A lock may be lost while the acquisition waits for the others: because it was released by force, Redis lost its data, or its
 * lease is not renewed. For the caller, which has never held it, this is not a loss: all locks are given back, and the acquisition
 * starts over within the same budget.
 *
 * <p><b>All at once: no cycle of waiters.</b> No caller waits in that call. A caller that holds any of the keys does not make the
 * call. Any other caller enters only empty lines, so it waits in none, and makes one call, for which the store keeps no queue entry.
 * After that it either has all locks, or has left all lines before it waits in any. So callers that line up behind it in the
 * meantime wait for at most one call.
 *
 * <p><b>All or none.</b> One server checks all locks before it changes any of them, in one step, so after a refusal there is nothing
 * to give back, and others never see only some of them granted. If the outcome is unknown, or a send of the call may still arrive,
 * all are undone and cancelled, each by its own owner id, and none of these ids is sent again. All leases are counted from before
 * the call was sent. If any of them has expired when the reply arrives, all are undone.
 *
 * <p><b>A refusal of a single try is final</b>: at that moment another caller held one of the locks, or was waiting for it. That
 * caller cannot have been another such try that failed in the end, because such a try holds nothing until it holds all. So if
 * several tries request the same free locks at the same time, one of the tries gets all of them. The refusal of another request is final
 * if its budget has ended during the call.
 *
 * <p><b>On a cluster</b>, no step covers several servers, so the store may request all locks at the same time, and release those that were
 * granted if one was refused. Still nobody waits in that call, and after it the caller holds all locks or none; so there is no cycle
 * of waiters. Callers that refuse each other do so once: each makes one such call, and then, with time left, acquires its locks in
 * order. A lock that is given back is granted to the callers that have queued for it meanwhile.
 *
 * <p>But such a call may refuse a lock to others and then give it back, so it is made only for a request that may wait. A single try
 * acquires its locks in order, and its refusal is final: the caller that refused it has all its locks; or may wait, and goes on until it
 * has them or its time is up; or is another single try, which holds a greater key than all that the refused one holds. The last one of a
 * chain of such tries is refused by none of them. If single tries made that call: P, in order, holds a, and is refused b by the call of
 * L, to which P refuses a. Both end, and nobody gets the free locks.
 *
 * <p>A grant by that call reserves one token for each lock, so none of them is handed off. If callers line up while the locks are
 * held, the next one calls the store, and acquires its locks in order.
 */
public final class MultiAcquisition implements Steps {

    private final Acquisition.Shared shared;
    private final List<Acquisition> all;
    private final Budget budget;
    private final Caller caller;
    private final List<Handle> taken;
    private boolean inOrder;
    private boolean last;
    private @Nullable Acquisition current;
    private @Nullable AcquireResult result;

    /** @param each in the order of their keys */
    public MultiAcquisition(Acquisition.Shared shared, List<Terms> each, Budget budget, Caller caller) {
        this.shared = shared;
        this.all = each.stream()
                .map(terms -> new Acquisition(shared, terms, budget, caller))
                .toList();
        this.budget = budget;
        this.caller = caller;
        this.taken = new ArrayList<>(all.size());
    }

    @Override
    public AcquireResult result() {
        return Objects.requireNonNull(result);
    }

    /** All at once if that is possible, otherwise in order. */
    @Override
    public long proceed() throws InterruptedException {
        if (!inOrder) {
            inOrder = true;
            result = mayAskForAll() ? allAtOnce() : null;
            last = budget.remainingNanos() == 0;
        }
        try {
            long left = 0;
            while (left == 0 && result == null) {
                left = next();
            }
            return left;
        } catch (InterruptedException | RuntimeException | Error e) {
            giveBack();
            throw e;
        }
    }

    // In order.

    private long next() throws InterruptedException {
        Acquisition acquisition = current;
        if (acquisition == null) {
            acquisition = all.get(taken.size()).again();
            current = acquisition;
        }
        long left = acquisition.proceed();
        if (left > 0) {
            return left;
        }
        current = null;
        AcquireResult one = acquisition.result();
        if (!(one instanceof Handle granted)) {
            giveBack();
            result = one;
            return 0;
        }
        taken.add(granted);
        if (taken.size() == all.size()) {
            allAreThere();
        }
        return 0;
    }

    /** Starts over if a lock was lost during the wait for the others; one last time once the budget is spent. */
    private void allAreThere() {
        Handle handle = Handle.of(taken);
        if (handle.isHeld()) {
            result = handle;
            return;
        }
        giveBack();
        if (last) {
            throw new LockStoreException(
                    "Locks " + all.stream().map(each -> each.key).toList()
                            + " could not be acquired together: one was lost before the others were acquired. None"
                            + " of them is held. Check whether the lease is too short or Redis is slow.",
                    null,
                    false);
        }
        last = budget.remainingNanos() == 0;
    }

    private void giveBack() {
        List<Handle> former = List.copyOf(taken);
        taken.clear();
        Handle.giveBack(former);
    }

    @Override
    public void interrupt(InterruptedException e) throws InterruptedException {
        if (current == null) {
            throw e;
        }
        try {
            current.interrupt(e);
        } catch (InterruptedException | RuntimeException | Error ended) {
            giveBack();
            throw ended;
        }
    }

    @Override
    public void abandon(Throwable why) {
        try {
            if (current != null) {
                current.abandon(why);
            }
        } finally {
            giveBack();
        }
    }

    // All at once.

    private boolean mayAskForAll() {
        return !(caller.interruptible() && Thread.currentThread().isInterrupted())
                && !all.get(0).isLate()
                && all.stream()
                        .allMatch(each -> !caller.holds().containsKey(each.key)
                                && !(budget.isOneTry() && shared.locks().findLive(each.key) != null));
    }

    /** Returns null if the locks are to be acquired in order; then nothing is held, and nothing is left behind. */
    private @Nullable AcquireResult allAtOnce() throws InterruptedException {
        shared.locks().ensureOpen();
        try {
            return all.stream().allMatch(Acquisition::enterIfEmpty) ? ask() : null;
        } finally {
            ClientContext.each(all, Acquisition::leaveAtOnce);
        }
    }

    private @Nullable AcquireResult ask() throws InterruptedException {
        LockStore store = shared.client().store;
        List<AcquireRequest> requests =
                all.stream().map(Acquisition::requestAtOnce).toList();
        AcquireAllReply reply;
        try {
            reply = caller.interruptible()
                    ? store.acquireAll(requests)
                    : ClientContext.uninterruptibly(() -> store.acquireAll(requests), () -> sentInVain());
        } catch (LockStoreException e) {
            return failed(e);
        } catch (RuntimeException | Error e) {
            failAll(e, true);
            throw e;
        }
        if (reply instanceof AcquireAllReply.Granted granted && all.stream().allMatch(Acquisition::isInTime)) {
            return open(granted.grants());
        }
        AcquireAllReply.Refused refused = reply instanceof AcquireAllReply.Refused found ? found : null;
        AcquireReply.Held held = refused != null && refused.reply() instanceof AcquireReply.Held found ? found : null;
        if (held != null ? held.resent() : !(reply instanceof AcquireAllReply.OneByOne each) || each.outcomeUnknown()) {
            sentInVain();
        }
        return refused != null && held != null && budget.remainingNanos() == 0
                ? all.get(refused.index()).take(held)
                : null;
    }

    /**
     * If no lock was granted, the one that failed fails again in order, and alone. Otherwise, or if the budget has ended, this is handled
     * like the failure of a first attempt: the callers in line behind this one would fail as well.
     */
    private @Nullable AcquireResult failed(LockStoreException e) throws InterruptedException {
        if (e.outcomeUnknown()) {
            sentInVain();
        }
        try {
            caller.throwIfInterrupted(e);
        } catch (InterruptedException interrupt) {
            failAll(interrupt, true);
            throw interrupt;
        }
        boolean isShortage = Acquisition.isShortage(e);
        if (budget.isOneTry() ? isShortage : budget.remainingNanos() > 0 && (isShortage || !e.outcomeUnknown())) {
            return null;
        }
        failAll(e, false);
        throw e;
    }

    /** A send of the call got no reply, or one that is not used, so the call may still arrive. */
    private void sentInVain() {
        all.forEach(each -> each.resent = true);
    }

    /** Listeners are notified of the failure of the first acquisition. */
    private void failAll(Throwable e, boolean undone) {
        all.get(0).observe();
        all.forEach(each -> each.fail(e, undone));
    }

    /** Creates handles for all locks, or gives all back. */
    private @Nullable AcquireResult open(List<AcquireReply.Granted> grants) {
        List<Handle> handles = new ArrayList<>(all.size());
        Handle whole = null;
        try {
            for (AcquireReply.Granted grant : grants) {
                handles.add((Handle) all.get(handles.size()).take(grant));
            }
            Handle opened = Handle.of(handles);
            whole = opened.isHeld() ? opened : null;
            return whole;
        } finally {
            if (whole == null) {
                sentInVain();
                Handle.giveBack(handles);
            }
        }
    }
}
