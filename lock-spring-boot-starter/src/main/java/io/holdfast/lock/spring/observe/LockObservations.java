package io.holdfast.lock.spring.observe;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.spring.observe.LockObservationContext.Outcome;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Makes an observation of each acquisition, however it is asked for: from where a thread begins to ask, to where it has
 * the lock or goes without. So a trace shows the time that was spent on waiting, below what needed the lock; and what the
 * driver does for it is below that. A reentrant acquisition waits for nothing, and is none.
 *
 * <p>Begin and end are told on one thread. Should a listener between them take a lock itself, that one ends first, so a
 * stack for each thread tells which acquisition ends.
 */
final class LockObservations implements LockListener {

    private final ObservationRegistry registry;
    private final LockObservationConvention convention;
    private final ThreadLocal<Deque<Running>> running = ThreadLocal.withInitial(() -> new ArrayDeque<>(1));

    LockObservations(ObservationRegistry registry, LockObservationConvention convention) {
        this.registry = registry;
        this.convention = convention;
    }

    private record Running(LockObservationContext context, Observation observation, Observation.Scope scope) {}

    @Override
    public void onAcquire(LockKey key, String name) {
        LockObservationContext context = new LockObservationContext(key, name);
        Observation observation = Observation.createNotStarted(null, convention, () -> context, registry)
                .start();
        running.get().push(new Running(context, observation, observation.openScope()));
    }

    @Override
    public void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Acquired acquired) {
            end(acquired.key(), Outcome.ACQUIRED, null);
        } else if (event instanceof LockEvent.NotAcquired refused) {
            end(refused.key(), Outcome.NOT_ACQUIRED, null);
        } else if (event instanceof LockEvent.Failed failed) {
            end(failed.key(), Outcome.FAILED, failed.failure());
        }
    }

    private void end(LockKey key, Outcome outcome, @Nullable Throwable failure) {
        Running ended = running.get().peek();
        if (ended == null || !ended.context().getKey().equals(key)) {
            return;
        }
        running.get().pop();
        ended.context().ended(outcome);
        ended.scope().close();
        if (failure != null) {
            ended.observation().error(failure);
        }
        ended.observation().stop();
    }
}
