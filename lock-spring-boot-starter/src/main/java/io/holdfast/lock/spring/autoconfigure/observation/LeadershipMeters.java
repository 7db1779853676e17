package io.holdfast.lock.spring.autoconfigure.observation;

import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.spring.leader.LeadershipObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** The meters of each role. Created with the first role. */
record LeadershipMeters(MeterRegistry registry) implements LeadershipObserver {

    @Override
    public void joined(Leadership leadership) {
        String role = leadership.role();
        Gauge.builder("holdfast.leadership.leader", leadership, each -> each.isLeader() ? 1 : 0)
                .description("1 if this instance is the leader, 0 if not")
                .tag("role", role)
                .register(registry);
        Counter elections = Counter.builder("holdfast.leadership.elections")
                .description("Number of times this instance was elected leader")
                .tag("role", role)
                .register(registry);
        Timer terms = Timer.builder("holdfast.leadership.term")
                .description("How long this instance was the leader, recorded at the end of each term")
                .tag("role", role)
                .register(registry);
        AtomicReference<Timer.Sample> term = new AtomicReference<>(Timer.start(registry));
        leadership.onElected(begun -> term.set(Timer.start(registry))); // not by the wall clock, which may be changed
        leadership.onElected(begun -> elections.increment());
        leadership.onRevoked(ended -> Objects.requireNonNull(term.get()).stop(terms));
    }
}
