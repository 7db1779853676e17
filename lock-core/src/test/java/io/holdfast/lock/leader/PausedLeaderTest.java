package io.holdfast.lock.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.testing.FakeTicker;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An instance that stands still for longer than its lease, on virtual time. */
@Timeout(120)
class PausedLeaderTest {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final FakeTicker time = new FakeTicker();
    private final InMemoryLockStore store = new InMemoryLockStore(time, time);

    @Test
    void it_has_lost_its_term_by_its_own_word_before_anybody_has_told_it() {
        try (LockEngine locks = LockEngine.builder(store).ticker(time).build();
                LeaderElection election = LeaderElection.on(locks)) {
            Leadership leadership = election.join("reports");
            election.start();
            Awaitility.await().until(leadership::isLeader);
            Term former = leadership.term().orElseThrow();

            time.pass(LEASE);

            assertThat(leadership.isLeader()).isFalse();
            assertThat(leadership.term()).isEmpty();
            eventuallyLeads(leadership);
            assertThat(leadership.term().orElseThrow().fencingToken()).isGreaterThan(former.fencingToken());
        }
    }

    /** Threads sleep by real time, and look at the virtual one when they are woken. */
    private void eventuallyLeads(Leadership leader) {
        Awaitility.await().until(() -> {
            time.pass(Duration.ofMillis(10));
            Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("holdfast-clock"))
                    .forEach(LockSupport::unpark);
            return leader.isLeader();
        });
    }
}
