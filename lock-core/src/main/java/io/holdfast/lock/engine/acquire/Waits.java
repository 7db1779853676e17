package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.LockActivity;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.engine.hold.Terms;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The calls of this client that wait for a lock. A call that gets its lock at once is never among them. */
public final class Waits {

    private final Set<Wait> all = ConcurrentHashMap.newKeySet();
    private final Map<LockKey, Integer> byKey = new ConcurrentHashMap<>();
    private final EventPublisher events;

    public Waits(EventPublisher events) {
        this.events = events;
    }

    /** A call's wait, which has not begun. */
    Wait of(Call call) {
        return new Wait(this, call);
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

        private Wait(Waits waits, Call call) {
            this.waits = waits;
            this.call = call;
        }

        /**
         * The lock is not free. Called before each pause; only the first one counts.
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
            if (waits.events.hasListeners()) {
                waits.events.publish(
                        new LockEvent.Waiting(call.key(), call.terms().name()));
            }
        }

        /** It is over, in whatever way; only the first time counts. */
        void end() {
            if (begun) {
                begun = false;
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
