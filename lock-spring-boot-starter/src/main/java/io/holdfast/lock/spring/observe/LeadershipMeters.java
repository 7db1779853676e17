package io.holdfast.lock.spring.observe;

import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.leader.Term;
import io.holdfast.lock.spring.leader.LeadershipObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;

/** The meters of each role. Made with the first one. */
final class LeadershipMeters implements LeadershipObserver {

    private final MeterRegistry registry;

    LeadershipMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void joined(Leadership leadership) {
        String role = leadership.role();
        Gauge.builder(Meters.LEADER, leadership, each -> each.isLeader() ? 1 : 0)
                .description("1 if this instance is the leader, 0 if not")
                .tag(Meters.ROLE, role)
                .register(registry);
        Terms terms = new Terms(
                Counter.builder(Meters.ELECTIONS)
                        .description("Number of times this instance was elected leader")
                        .tag(Meters.ROLE, role)
                        .register(registry),
                Timer.builder(Meters.TERM)
                        .description("How long this instance was the leader, recorded at the end of each term")
                        .tag(Meters.ROLE, role)
                        .register(registry),
                registry);
        leadership.onElected(terms::begin);
        leadership.onRevoked(terms::end);
    }

    /** Told of the beginning and the end of one term after the other. */
    private static final class Terms {

        private final Counter elections;
        private final Timer lengths;
        private final MeterRegistry registry;
        private long since;

        Terms(Counter elections, Timer lengths, MeterRegistry registry) {
            this.elections = elections;
            this.lengths = lengths;
            this.registry = registry;
        }

        synchronized void begin(Term term) {
            since = registry.config().clock().monotonicTime();
            elections.increment();
        }

        synchronized void end(Term term) {
            lengths.record(registry.config().clock().monotonicTime() - since, TimeUnit.NANOSECONDS);
        }
    }
}
