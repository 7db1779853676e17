package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.LockActivity;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.engine.deadlock.NestedWaits;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.waiting.Budget;
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
    CallerWait enter(LockKey key, Terms terms, Budget budget, Caller caller) {
        int most = terms.maxWaiting();
        if (byKey.merge(key, 1, Integer::sum) > most) {
            oneLess(key);
            throw new LockOverloadException("Lock '" + key + "' is not free, and " + most
                    + " calls from this client are already waiting for it, which is the limit. Try again later, or raise"
                    + " maxWaiting.");
        }
        CallerWait wait = new CallerWait(key, terms, budget, caller);
        all.add(wait);
        return wait;
    }

    private void oneLess(LockKey key) {
        byKey.computeIfPresent(key, (same, waiting) -> waiting == 1 ? null : waiting - 1);
    }

    /** One call's wait. */
    final class CallerWait {

        private final LockKey key;
        private final Terms terms;
        private final Budget budget;
        private final Caller caller;
        private final String thread = Thread.currentThread().getName();
        private NestedWaits.@Nullable BegunWait nested;

        private CallerWait(LockKey key, Terms terms, Budget budget, Caller caller) {
            this.key = key;
            this.terms = terms;
            this.budget = budget;
            this.caller = caller;
        }

        /** Reports that the caller waits. */
        void begin() {
            if (!caller.holds().isEmpty()) {
                nested = beginNested();
            }
            if (events.hasListeners()) {
                events.publish(new LockEvent.Waiting(key, terms.name()));
            }
        }

        /**
         * Registers the wait with the locks that the caller holds; it acquires no others while it waits. Another thread
         * describes the wait: a lock may have been lost, or closed by another thread, since the wait began.
         */
        private NestedWaits.BegunWait beginNested() {
            HolderInfo here = ClientContext.currentThread();
            String clientId = client.id();
            List<Hold> holds = List.copyOf(caller.holds().values());
            return Waits.this.nested.begin(() -> new NestedWait(
                    clientId,
                    here.host(),
                    here.pid(),
                    here.thread(),
                    key,
                    terms.mode(),
                    budget.spent(),
                    holds.stream()
                            .filter(Hold::isLive)
                            .limit(NestedWaits.MAX_HOLDS)
                            .map(hold -> new NestedWait.Held(hold.key(), hold.token(), hold.mode()))
                            .toList()));
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
            oneLess(key);
        }

        private LockActivity.Wait describe() {
            return new LockActivity.Wait(key, terms.name(), terms.mode(), thread, budget.spent());
        }
    }
}
