package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.Requests;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * How long there is no leader after its process died, on virtual time: time stands still at the bound, so a candidate that would lead
 * later never does.
 */
@Timeout(300)
class DeadLeaderTest {

    /** A candidate does not ask twice within that time. */
    private static final Duration STEP = Duration.ofMillis(10);

    /** From when a candidate died on, less than that: it is missed for 3.4 s, and the others ask every half second. */
    private static final Duration DEAD_CANDIDATE = Duration.ofMillis(3450);

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final LockKey LOCK = LockKey.of("leader:reports");
    private static final HolderInfo NOWHERE = new HolderInfo("host", 1, "thread");

    private final FakeTicker time = new FakeTicker();
    private final InMemoryLockStore store = new InMemoryLockStore(time, time);
    private final LockEngine locks = VirtualTime.builder(store).ticker(time).build();
    private final LeaderElection election = LeaderElection.on(locks);
    private final Leadership candidate =
            election.join("reports", LockRequest.of(LOCK.value()).lease(LEASE));

    @AfterEach
    void end() {
        election.close();
        locks.close();
    }

    private AcquireReply ask(long client, Duration lease) {
        return store.acquire(new AcquireRequest(
                LOCK, owner(client), lease.toMillis(), NOWHERE, AcquireRequest.EXCLUSIVE, 1, false, true, 1, 0, false));
    }

    private static OwnerId owner(long client) {
        return new OwnerId("client-" + client, 1);
    }

    /** It renews nothing from now on. Other clients that are candidates come first; they keep their entries until the test says otherwise. */
    private void leaderDies(Duration lease, int others) {
        assertThat(ask(0, lease)).isInstanceOf(AcquireReply.Granted.class);
        for (int i = 1; i <= others; i++) {
            assertThat(ask(i, lease)).isInstanceOf(AcquireReply.Held.class);
        }
        election.start();
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> store.inspect(LOCK).waiters() == others + 1);
    }

    private void pass(Duration total) {
        pass(total, 0);
    }

    /** The candidate keeps its entry, as do that many others. */
    private void pass(Duration total, int others) {
        for (Duration left = total; left.compareTo(Duration.ZERO) > 0; left = left.minus(STEP)) {
            time.pass(STEP);
            LongStream.rangeClosed(1, others)
                    .forEach(client -> store.keepEntries(List.of(Requests.entries(LOCK, List.of(owner(client))))));
            VirtualTime.keepEntries(locks);
        }
    }

    /** No time passes. */
    private void awaitLeader() {
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(candidate::isLeader);
    }

    @Test
    void candidate_leads_as_soon_as_the_lease_of_the_dead_leader_has_expired() {
        leaderDies(LEASE, 0);
        pass(LEASE.minus(STEP));
        assertThat(candidate.isLeader()).isFalse();
        pass(STEP.multipliedBy(3));
        awaitLeader();
    }

    @Test
    void candidates_that_died_with_the_leader_cost_nothing() {
        leaderDies(LEASE, 5);
        pass(LEASE.plus(STEP.multipliedBy(2)));
        awaitLeader();
    }

    /** A lease that is shorter than the life of an entry does not help there. */
    @Test
    void candidates_that_died_with_a_leader_of_a_short_lease_cost_the_life_of_an_entry() {
        leaderDies(Duration.ofSeconds(1), 5);
        pass(DEAD_CANDIDATE);
        awaitLeader();
    }

    @Test
    void candidates_that_die_when_the_lease_expires_cost_the_life_of_an_entry_together() {
        leaderDies(LEASE, 5);
        pass(LEASE, 5);
        pass(DEAD_CANDIDATE);
        awaitLeader();
    }
}
