package io.holdfast.lock.spring.observe;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.spring.observe.LockObservationContext.Outcome;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;

/**
 * Makes an observation of each acquisition, however it is asked for: from where a thread begins to ask, to where it has
 * the lock or goes without. So a trace shows the time that was spent on waiting, below what needed the lock; and what the
 * driver does for it is below that. A reentrant acquisition waits for nothing, and is none.
 *
 * <p>Its scope is open on a thread only while that one goes on with it, since the thread of an acquisition may change.
 */
final class LockObservations implements LockListener {

    private final ObservationRegistry registry;
    private final LockObservationConvention convention;

    LockObservations(ObservationRegistry registry, LockObservationConvention convention) {
        this.registry = registry;
        this.convention = convention;
    }

    /** One acquisition. */
    private record Observed(LockObservationContext context, Observation observation) implements Acquisition {

        @Override
        public LockListener.Scope onThread() {
            return observation.openScope()::close;
        }

        @Override
        public void ended(LockEvent.OfLock event) {
            context.ended(outcome(event));
            if (event instanceof LockEvent.Failed failed) {
                observation.error(failed.failure());
            }
            observation.stop();
        }

        private static Outcome outcome(LockEvent.OfLock event) {
            if (event instanceof LockEvent.Acquired) {
                return Outcome.ACQUIRED;
            }
            return event instanceof LockEvent.NotAcquired ? Outcome.NOT_ACQUIRED : Outcome.FAILED;
        }
    }

    @Override
    public Acquisition onAcquire(LockKey key, String name) {
        LockObservationContext context = new LockObservationContext(key, name);
        Observation observation = Observation.createNotStarted(null, convention, () -> context, registry)
                .start();
        return new Observed(context, observation);
    }

    /** Nothing but acquisitions is observed. */
    @Override
    public void onEvent(LockEvent event) {}
}
