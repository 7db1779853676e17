package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.Each;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.engine.hold.Handle;
import io.holdfast.lock.engine.hold.MultiHandle;
import io.holdfast.lock.engine.hold.ThreadHolds;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.AcquireRequest.HolderInfo;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.waiting.LocalQueue.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One try to acquire several locks in one call to the store, for a request that finds all of them free. Otherwise they are
 * acquired in order, see {@link MultiAcquisition}.
 *
 * <p><b>No cycle of waiters.</b> No caller waits here. A thread that holds any of the keys does not get here. It enters only
 * empty lines, so it waits in none, and makes one call, for which the store keeps no queue entry. Then it has either all locks,
 * or has left all lines before it waits in any. So callers that line up behind it in the meantime wait for one call at most.
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
 * <p>A grant reserves one token for each lock, so none of them is handed off. If threads line up while the locks are held, the
 * next one calls the store, and acquires its locks in order.
 */
final class AllAtOnce {

    private final Acquisition.Shared shared;
    private final ClientContext client;
    private final List<Call> calls;
    private final Caller caller;
    private final List<Place> places;
    private final List<OwnerId> owners;
    private final HolderInfo holder = ClientContext.currentThread();
    private long sentAt;

    /** Whether an interrupt broke a send, which may still arrive. */
    private boolean resent;

    /** @param calls for different keys, with one budget and one caller */
    AllAtOnce(Acquisition.Shared shared, List<Call> calls) {
        this.shared = shared;
        this.client = shared.client();
        this.calls = calls;
        this.caller = calls.get(0).caller();
        this.places = new ArrayList<>(calls.size());
        this.owners = new ArrayList<>(calls.size());
    }

    /** Returns null if the locks are to be acquired in order; then nothing is held, and nothing is left behind. */
    @Nullable
    AcquireResult run() throws InterruptedException {
        if (!isWorthACall()) {
            return null;
        }
        shared.lifecycle().ensureOpen();
        String self = client.id();
        boolean held = false;
        try {
            AcquireResult result = enterAll() ? ask(self) : null;
            held = result instanceof AcquireResult.Granted;
            return result;
        } finally {
            if (!held) {
                leaveAll();
            }
        }
    }

    private boolean isWorthACall() {
        boolean oneTry = calls.get(0).budget().isOneTry();
        ThreadHolds holds = shared.holds();
        return !caller.isInterrupted()
                && !calls.get(0).isLate()
                && calls.stream()
                        .map(Call::key)
                        .allMatch(key -> !caller.holds().containsKey(key) && !(oneTry && holds.findLive(key) != null));
    }

    private boolean enterAll() {
        for (Call call : calls) {
            Place place = client.queue().tryEnter(call.key(), call.terms().handOffTerms(), caller.waiter());
            if (place == null) {
                return false;
            }
            places.add(place);
        }
        return true;
    }

    private void leaveAll() {
        Each.run(places, Place::leave);
    }

    private @Nullable AcquireResult ask(String self) throws InterruptedException {
        calls.forEach(call -> owners.add(client.queue().newOwner()));
        AcquireAllReply reply;
        try {
            reply = send();
        } catch (LockStoreException e) {
            return failed(e);
        } catch (RuntimeException | Error e) {
            undoAll();
            publishFailed(calls.get(0), e);
            throw e;
        }
        if (reply instanceof AcquireAllReply.Granted granted) {
            if (isInTime()) {
                return open(granted.grants(), self);
            }
            undoAll();
            return null;
        }
        return refused(reply);
    }

    private AcquireAllReply send() {
        List<AcquireRequest> requests = new ArrayList<>(calls.size());
        for (int i = 0; i < calls.size(); i++) {
            requests.add(calls.get(i).request(owners.get(i), holder, false, 1));
        }
        sentAt = client.ticker().nanos();
        return caller.interruptible()
                ? client.store().acquireAll(requests)
                : ClientContext.uninterruptibly(() -> client.store().acquireAll(requests), () -> resent = true);
    }

    /** Like the failure of a first attempt: callers in line behind it would fail as well. */
    private @Nullable AcquireResult failed(LockStoreException e) throws InterruptedException {
        if (e.outcomeUnknown() || resent) {
            undoAll();
        }
        if (caller.takeInterrupt()) {
            InterruptedException interrupt = Caller.interrupted(e);
            publishFailed(calls.get(0), interrupt);
            throw interrupt;
        }
        if (e.getCause() instanceof ConnectionsInUseException) {
            return null;
        }
        places.forEach(place -> place.fail(e));
        publishFailed(calls.get(0), e);
        throw e;
    }

    private @Nullable AcquireResult refused(AcquireAllReply reply) {
        if (!(reply instanceof AcquireAllReply.Refused refused)
                || !(refused.reply() instanceof AcquireReply.Held held)) {
            if (resent) {
                undoAll();
            }
            return null;
        }
        if (resent || held.resent()) {
            undoAll();
        }
        Call call = calls.get(refused.index());
        return call.budget().isOneTry() ? refusal(call, held.holder()) : null;
    }

    private AcquireResult.Refused refusal(Call call, Optional<LockHolder> blocking) {
        var refused = new AcquireResult.Refused(call.key(), call.budget().spent(), blocking, false, 0);
        if (hasListeners()) {
            tell(call, call.event(refused, false));
        }
        return refused;
    }

    private boolean isInTime() {
        long now = client.ticker().nanos();
        return calls.stream().allMatch(call -> now - call.deadline(sentAt) < 0);
    }

    /** Creates handles for all locks, or gives all back. */
    private @Nullable AcquireResult open(List<AcquireReply.Granted> granted, String self) {
        List<Handle> handles = new ArrayList<>(calls.size());
        boolean held = false;
        try {
            for (int i = 0; i < calls.size(); i++) {
                Call call = calls.get(i);
                Handle handle;
                try {
                    handle = shared.grants().open(call, grant(i, granted.get(i)), holder, places.get(i));
                } catch (RuntimeException | Error e) {
                    publishFailed(call, e);
                    throw e;
                }
                handles.add(handle);
                if (hasListeners()) {
                    tell(call, call.event(new AcquireResult.Granted(handle), false));
                }
            }
            if (shared.lifecycle().isOver(self)) {
                throw shared.lifecycle().tooLate(calls.get(0).key());
            }
            MultiHandle handle = new MultiHandle(handles);
            held = handle.isHeld();
            return held ? new AcquireResult.Granted(handle) : null;
        } finally {
            if (!held) {
                new MultiHandle(handles).giveBack();
                for (int i = handles.size(); i < calls.size(); i++) {
                    shared.grants().giveBack(calls.get(i), owners.get(i), places.get(i));
                }
            }
        }
    }

    private StoreGrant grant(int i, AcquireReply.Granted granted) {
        return calls.get(i).granted(owners.get(i), granted, sentAt, resent || granted.resent());
    }

    private void undoAll() {
        for (int i = 0; i < calls.size(); i++) {
            Call call = calls.get(i);
            client.cleanup()
                    .undo(call.key(), owners.get(i), call.terms().lease().leaseNanos());
        }
    }

    private boolean hasListeners() {
        return shared.events().hasListeners();
    }

    /** Reports the beginning only now: if the locks are acquired in order instead, those are different acquisitions. */
    private void tell(Call call, LockEvent.OfLock outcome) {
        EventPublisher events = shared.events();
        events.end(events.begin(call.key(), call.terms().name()), outcome);
    }

    private void publishFailed(Call call, Throwable failure) {
        if (hasListeners()) {
            tell(call, call.failed(failure));
        }
    }
}
