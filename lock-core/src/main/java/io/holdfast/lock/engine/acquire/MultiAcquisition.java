package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.Each;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.engine.hold.AcquireResult;
import io.holdfast.lock.engine.hold.Handle;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.waiting.Budget;
import io.holdfast.lock.waiting.LocalQueue;
import io.holdfast.lock.waiting.QueueEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Several locks, all or nothing. If they are all free, they are acquired at once, in one call to the store. Otherwise they are
 * acquired one after the other in the order of their keys, which is the same for every request. So each waiter waits for a key
 * that is greater than all keys it holds, and there is no cycle of waiters. One budget applies to all, and the acquisition waits
 * in one queue at a time.
 *
 * <p>A lock may be lost while the acquisition waits for the others: it was released by force, Redis forgot it, or its lease is
 * not renewed. For the caller, who has never held it, this is not a loss: all are given back, and the acquisition starts over
 * within the same budget.
 *
 * <p><b>All at once: no cycle of waiters.</b> No caller waits in that call. A caller that holds any of the keys does not make it. It
 * enters only empty lines, so it waits in none, and makes one call, for which the store keeps no queue entry. Then it has either all
 * locks, or has left all lines before it waits in any. So callers that line up behind it in the meantime wait for one call at most.
 *
 * <p><b>All or none.</b> The store checks all locks before it changes one, in one step, so after a refusal there is nothing to
 * give back, and others never see only some of them granted. If the outcome is unknown, or a send of the call may still arrive,
 * all are undone and cancelled, each by its own owner id, and none of these is sent again. All leases count from before the call
 * was sent. If one of them has expired when the reply arrives, all are undone.
 *
 * <p><b>A refusal of one try is final</b>: at that moment somebody held one of the locks, or waited for it. It cannot have been
 * another such try that failed in the end, because such a try holds nothing until it holds all. So if several tries request the
 * same free locks at the same time, one of them gets them.
 *
 * <p>A grant of that call reserves one token for each lock, so none of them is handed off. If callers line up while the locks are
 * held, the next one calls the store, and acquires its locks in order.
 */
public final class MultiAcquisition implements Steps {

    private final Acquisition.Shared shared;
    private final ClientContext client;
    private final List<Call> calls;
    private final Budget budget;
    private final Caller caller;
    private final List<Handle> taken;
    private boolean inOrder;
    private boolean last;
    private @Nullable Acquisition current;
    private @Nullable AcquireResult result;

    /** One of the locks, in the call for all of them. */
    private record Member(Call call, LocalQueue.Place place, OwnerId owner) {}

    private final List<Member> members = new ArrayList<>();
    private long sentAt;

    /** Whether a send of the call for all of them got no reply, and may still arrive. */
    private boolean resent;

    /** @param calls in the order of their keys, with one budget and one caller */
    public MultiAcquisition(Acquisition.Shared shared, List<Call> calls) {
        this.shared = shared;
        this.client = shared.client();
        this.calls = calls;
        this.budget = calls.get(0).budget();
        this.caller = calls.get(0).caller();
        this.taken = new ArrayList<>(calls.size());
    }

    @Override
    public AcquireResult result() {
        return Objects.requireNonNull(result);
    }

    /** All at once if that is possible, else in order. */
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
            acquisition = new Acquisition(shared, calls.get(taken.size()));
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
        if (taken.size() == calls.size()) {
            allAreThere();
        }
        return 0;
    }

    /** Starts over if a lock was lost while it waited for the others; once more when the budget is spent. */
    private void allAreThere() {
        Handle handle = Handle.of(taken);
        if (handle.isHeld()) {
            result = handle;
            return;
        }
        giveBack();
        if (last) {
            throw new LockStoreException(
                    "Locks " + calls.stream().map(Call::key).toList()
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
                && !calls.get(0).isLate()
                && calls.stream()
                        .map(Call::key)
                        .allMatch(key -> !caller.holds().containsKey(key)
                                && !(budget.isOneTry() && shared.locks().findLive(key) != null));
    }

    /** Returns null if the locks are to be acquired in order; then nothing is held, and nothing is left behind. */
    private @Nullable AcquireResult allAtOnce() throws InterruptedException {
        shared.locks().ensureOpen();
        String clientId = client.id();
        AcquireResult found = null;
        try {
            found = enterAll() ? ask(clientId) : null;
            return found;
        } finally {
            if (!(found instanceof Handle)) {
                Each.run(members, member -> member.place.leave());
            }
        }
    }

    private boolean enterAll() {
        for (Call call : calls) {
            LocalQueue.Place place =
                    client.queue().tryEnter(call.key(), call.terms().handOffTerms(), caller.waiter());
            if (place == null) {
                return false;
            }
            members.add(new Member(call, place, client.queue().newOwner()));
        }
        return true;
    }

    private @Nullable AcquireResult ask(String clientId) throws InterruptedException {
        HolderInfo holder = ClientContext.currentThread();
        List<AcquireRequest> requests = members.stream()
                .map(member -> member.call.request(member.owner, holder, false, 1))
                .toList();
        sentAt = client.ticker().nanos();
        AcquireAllReply reply;
        try {
            reply = caller.interruptible()
                    ? client.store().acquireAll(requests)
                    : ClientContext.uninterruptibly(() -> client.store().acquireAll(requests), () -> resent = true);
        } catch (LockStoreException e) {
            return failed(e);
        } catch (RuntimeException | Error e) {
            undoAll();
            publishFailed(calls.get(0), e);
            throw e;
        }
        if (reply instanceof AcquireAllReply.Granted granted && isInTime()) {
            return open(granted.grants(), holder, clientId);
        }
        return refused(reply);
    }

    /** Like the failure of a first attempt: callers in line behind it would fail as well. */
    private @Nullable AcquireResult failed(LockStoreException e) throws InterruptedException {
        if (e.outcomeUnknown() || resent) {
            undoAll();
        }
        if (caller.takeInterrupt()) {
            InterruptedException interrupt = Acquisition.interrupted(e);
            publishFailed(calls.get(0), interrupt);
            throw interrupt;
        }
        if (e.getCause() instanceof ConnectionsInUseException) {
            return null;
        }
        members.forEach(member -> member.place.fail(e));
        publishFailed(calls.get(0), e);
        throw e;
    }

    private @Nullable AcquireResult refused(AcquireAllReply reply) {
        AcquireReply.Held held =
                reply instanceof AcquireAllReply.Refused refused && refused.reply() instanceof AcquireReply.Held found
                        ? found
                        : null;
        if (resent || reply instanceof AcquireAllReply.Granted || (held != null && held.resent())) {
            undoAll();
        }
        if (held == null || !budget.isOneTry()) {
            return null;
        }
        Call call = calls.get(((AcquireAllReply.Refused) reply).index());
        var refusal = new AcquireResult.Contended(call.key(), budget.spent(), held.holder(), false, 0);
        tell(call, call.event(refusal, false));
        return refusal;
    }

    private boolean isInTime() {
        long now = client.ticker().nanos();
        return calls.stream().allMatch(call -> now - call.deadline(sentAt) < 0);
    }

    /** Creates handles for all locks, or gives all back. */
    private @Nullable AcquireResult open(List<AcquireReply.Granted> grants, HolderInfo holder, String clientId) {
        List<Handle> handles = new ArrayList<>(members.size());
        boolean held = false;
        try {
            for (Member member : members) {
                AcquireReply.Granted reply = grants.get(handles.size());
                QueueEntry.Grant grant = member.call.granted(member.owner, reply, sentAt, resent || reply.resent());
                try {
                    member.place.granted(grant);
                    handles.add(member.call.open(shared.locks(), grant, holder, member.place));
                } catch (RuntimeException | Error e) {
                    publishFailed(member.call, e);
                    throw e;
                }
                Handle handle = handles.get(handles.size() - 1);
                tell(member.call, member.call.event(handle, false));
            }
            if (shared.locks().isOver(clientId)) {
                throw shared.locks().tooLate(calls.get(0).key());
            }
            Handle all = Handle.of(handles);
            held = all.isHeld();
            return held ? all : null;
        } finally {
            if (!held) {
                Handle.giveBack(handles);
                members.subList(handles.size(), members.size())
                        .forEach(member -> member.call.giveBack(shared.locks(), member.owner, member.place));
            }
        }
    }

    private void undoAll() {
        members.forEach(member -> client.cleanup()
                .undo(member.call.key(), member.owner, member.call.terms().leaseNanos()));
    }

    /** Reports the beginning only now: if the locks are acquired in order instead, those are different acquisitions. */
    private void tell(Call call, LockEvent.OfLock outcome) {
        EventPublisher events = shared.events();
        if (events.hasListeners()) {
            events.end(events.begin(call.key(), call.terms().name()), outcome);
        }
    }

    private void publishFailed(Call call, Throwable failure) {
        tell(call, call.failed(failure));
    }
}
