package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockActivity;
import io.holdfast.lock.api.LockEvent;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The calls of this client that wait for a lock. A call that gets its lock at once is never among them. */
final class Waits {

    private final Set<Wait> all = ConcurrentHashMap.newKeySet();
    private final EventPublisher events;

    Waits(EventPublisher events) {
        this.events = events;
    }

    /** A call's wait, which has not begun. */
    Wait of(Call call) {
        return new Wait(this, call);
    }

    List<LockActivity.Wait> snapshot() {
        return all.stream().map(Wait::describe).toList();
    }

    /** One call's wait; used by the thread that waits. */
    static final class Wait {

        private final Waits waits;
        private final Call call;
        private String thread = "";
        private boolean begun;

        private Wait(Waits waits, Call call) {
            this.waits = waits;
            this.call = call;
        }

        /** The lock is not free. Called before each pause; only the first one counts. */
        void begin() {
            if (begun) {
                return;
            }
            begun = true;
            thread = Thread.currentThread().getName();
            waits.all.add(this);
            if (waits.events.hasListeners()) {
                waits.events.publish(
                        new LockEvent.Waiting(call.key(), call.terms().name()));
            }
        }

        /** It is over, in whatever way. */
        void end() {
            if (begun) {
                waits.all.remove(this);
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
