package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.LockActivity;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.engine.deadlock.NestedWaits;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.store.HolderInfo;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The calls of this client that wait for a lock. Does not include calls that get their lock immediately. */
public final class Waits {

    private final Set<CallerWait> all = ConcurrentHashMap.newKeySet();
    private final Map<LockKey, Integer> byKey = new ConcurrentHashMap<>();
    private final EventPublisher events;
    private final ClientContext client;
    private final NestedWaits nested;

    /** @param nested is notified of waits whose callers hold locks */
    public Waits(EventPublisher events, ClientContext client, NestedWaits nested) {
        this.events = events;
        this.client = client;
        this.nested = nested;
    }

    public List<LockActivity.Wait> snapshot() {
        return all.stream().map(CallerWait::describe).toList();
    }

    /**
     * The lock is not free.
     *
     * @throws LockOverloadException if too many wait for the key already
     */
    CallerWait enter(Call call) {
        int most = call.terms().maxWaiting();
        if (byKey.merge(call.key(), 1, Integer::sum) > most) {
            oneLess(call.key());
            throw new LockOverloadException("Lock '" + call.key() + "' is not free, and " + most
                    + " calls from this client are already waiting for it, which is the limit. Try again later, or raise"
                    + " maxWaiting.");
        }
        CallerWait wait = new CallerWait(call);
        all.add(wait);
        return wait;
    }

    private void oneLess(LockKey key) {
        byKey.computeIfPresent(key, (same, waiting) -> waiting == 1 ? null : waiting - 1);
    }

    /**
     * With what the caller holds; it acquires no others while it waits. It is described by another thread: a lock may
     * have been lost, or closed by another thread, since the wait began.
     */
    private NestedWaits.BegunWait nested(Call call) {
        HolderInfo here = ClientContext.currentThread();
        String clientId = client.id();
        List<Hold> holds = List.copyOf(call.caller().holds().values());
        return nested.begin(() -> new NestedWait(
                clientId,
                here.host(),
                here.pid(),
                here.thread(),
                call.key(),
                call.terms().mode(),
                call.budget().spent(),
                holds.stream()
                        .filter(Hold::isLive)
                        .limit(NestedWaits.MAX_HOLDS)
                        .map(hold -> new NestedWait.Held(hold.key(), hold.token(), hold.mode()))
                        .toList()));
    }

    /** One call's wait. */
    final class CallerWait {

        private final Call call;
        private final String thread = Thread.currentThread().getName();
        private NestedWaits.@Nullable BegunWait nested;

        private CallerWait(Call call) {
            this.call = call;
        }

        /** Reports that the caller waits. */
        void begin() {
            if (!call.caller().holds().isEmpty()) {
                nested = Waits.this.nested(call);
            }
            if (events.hasListeners()) {
                events.publish(new LockEvent.Waiting(call.key(), call.terms().name()));
            }
        }

        /** The number of this wait if its caller held locks, else 0; also when it has ended. */
        long nestedId() {
            return nested == null ? 0 : nested.id();
        }

        /**
         * The wait has ended. To be called once.
         *
         * @param inVain whether its budget was spent
         */
        void end(boolean inVain) {
            if (nested != null) {
                nested.end(inVain);
            }
            all.remove(this);
            oneLess(call.key());
        }

        private LockActivity.Wait describe() {
            Terms terms = call.terms();
            return new LockActivity.Wait(
                    call.key(),
                    terms.name(),
                    terms.mode(),
                    thread,
                    call.budget().spent());
        }
    }
}
