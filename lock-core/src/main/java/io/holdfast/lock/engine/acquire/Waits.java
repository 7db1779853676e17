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

    private final Set<Wait> all = ConcurrentHashMap.newKeySet();
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
        return all.stream().map(Wait::describe).toList();
    }

    private void oneLess(LockKey key) {
        byKey.computeIfPresent(key, (same, waiting) -> waiting == 1 ? null : waiting - 1);
    }

    /** One call's wait; used by one thread at a time. */
    static final class Wait {

        private final Waits waits;
        private final Call call;
        private String thread = "";
        private boolean begun;
        private NestedWaits.@Nullable Wait nested;
        private long nestedId;

        /** Has not begun. */
        Wait(Waits waits, Call call) {
            this.waits = waits;
            this.call = call;
        }

        /**
         * The lock is not free. Called before each pause; only the first call counts.
         *
         * @throws LockOverloadException if too many wait for the key already
         */
        void begin() {
            if (begun) {
                return;
            }
            int most = call.terms().maxWaiting();
            int waiting = waits.byKey.merge(call.key(), 1, Integer::sum);
            if (waiting > most) {
                waits.oneLess(call.key());
                throw LockOverloadException.ofKey(call.key(), most);
            }
            begun = true;
            thread = Thread.currentThread().getName();
            waits.all.add(this);
            if (!call.caller().holds().isEmpty()) {
                HolderInfo here = ClientContext.currentThread();
                String clientId = waits.client.id();
                List<Hold> held = holds();
                NestedWaits.Wait told = waits.nested.begin(() -> nested(clientId, here, held));
                nested = told;
                nestedId = told.id();
            }
            if (waits.events.hasListeners()) {
                waits.events.publish(
                        new LockEvent.Waiting(call.key(), call.terms().name()));
            }
        }

        /** What the caller holds; it acquires no others while it waits. Called by the caller itself. */
        private List<Hold> holds() {
            return List.copyOf(call.caller().holds().values());
        }

        /** Called by another thread. A lock may have been lost, or closed by another thread, since the wait began. */
        private NestedWait nested(String clientId, HolderInfo here, List<Hold> holds) {
            List<NestedWait.Held> held = holds.stream()
                    .filter(Hold::isLive)
                    .limit(NestedWaits.MOST_HOLDS)
                    .map(hold -> new NestedWait.Held(hold.key(), hold.token(), hold.mode()))
                    .toList();
            return new NestedWait(
                    clientId,
                    here.host(),
                    here.pid(),
                    here.thread(),
                    call.key(),
                    call.terms().mode(),
                    call.budget().spent(),
                    held);
        }

        /** The number of this wait if its caller held locks, else 0; also when it has ended. */
        long nestedId() {
            return nestedId;
        }

        /**
         * The wait has ended; only the first call counts.
         *
         * @param inVain whether its budget was spent
         */
        void end(boolean inVain) {
            if (begun) {
                begun = false;
                if (nested != null && inVain) {
                    nested.endInVain();
                } else if (nested != null) {
                    nested.end();
                }
                waits.all.remove(this);
                waits.oneLess(call.key());
            }
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
