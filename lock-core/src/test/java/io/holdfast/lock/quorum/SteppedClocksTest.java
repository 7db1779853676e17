package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clocks of servers are set while a lock is held: what docs/reliability.md lists for quorums. On virtual time. */
class SteppedClocksTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final long LEASE_MILLIS = 30_000;
    private static final Duration REJOIN_DELAY = Duration.ofMinutes(1);
    private static final OwnerId HOLDER = new OwnerId("alice", 1);
    private static final OwnerId OTHER = new OwnerId("bob", 1);

    private final FakeTicker time = new FakeTicker();
    private final List<FakeTicker> clocks =
            Stream.generate(FakeTicker::new).limit(3).toList();
    private final List<StoreSpy> servers = clocks.stream()
            .map(clock -> new StoreSpy(new InMemoryLockStore(clock, clock)))
            .toList();
    private final QuorumLockStore store = new QuorumLockStore(
            servers.stream()
                    .map(server -> new QuorumNode("node-" + servers.indexOf(server), server))
                    .toList(),
            REJOIN_DELAY,
            time,
            threads -> Runnable::run);

    private AcquireReply acquire(OwnerId owner) {
        return store.acquire(Requests.exclusive(KEY, owner, LEASE_MILLIS, new HolderInfo("web-1", 1, "main"), false));
    }

    private long granted(OwnerId owner) {
        AcquireReply reply = acquire(owner);
        assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
        return ((AcquireReply.Granted) reply).token();
    }

    private RenewReply renew() {
        return store.renew(List.of(Requests.renewal(KEY, HOLDER, LEASE_MILLIS))).get(0);
    }

    private void assertStillHeld(long token) {
        for (int i = 0; i < 10; i++) {
            assertThat(acquire(OTHER)).isInstanceOf(AcquireReply.Held.class);
            assertThat(renew()).isInstanceOf(RenewReply.Renewed.class);
            Duration third = Duration.ofMillis(LEASE_MILLIS / 3);
            time.pass(third);
            clocks.forEach(clock -> clock.pass(third));
        }
        assertThat(store.release(new ReleaseRequest(KEY, HOLDER))).isEqualTo(ReleaseReply.RELEASED);
        assertThat(granted(OTHER)).isGreaterThan(token);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT1S", "PT1M", "PT1H", "PT-1S", "PT-1M", "PT-1H"})
    void clock_of_a_minority_costs_nothing(Duration step) {
        long token = granted(HOLDER);
        clocks.get(0).pass(step);

        assertStillHeld(token);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT1S", "PT-1S", "PT-1M", "PT-1H"})
    void clocks_of_a_majority_that_go_back_or_stay_within_the_lease_cost_nothing(Duration step) {
        long token = granted(HOLDER);
        clocks.get(0).pass(step);
        clocks.get(1).pass(step);

        assertStillHeld(token);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT1M", "PT1H"})
    void clocks_of_a_majority_beyond_the_lease_free_the_lock_and_the_next_renewal_finds_that(Duration step) {
        long token = granted(HOLDER);
        clocks.get(0).pass(step);
        clocks.get(1).pass(step);

        assertThat(granted(OTHER)).isGreaterThan(token);
        assertThat(renew()).isInstanceOf(RenewReply.NotHolder.class);
    }

    @Test
    void hold_of_a_bare_majority_is_lost_by_one_clock_beyond_the_lease() {
        servers.get(2).reachable(false);
        long token = granted(HOLDER);
        servers.get(2).reachable(true);
        clocks.get(0).pass(Duration.ofHours(1));

        assertThat(granted(OTHER)).isGreaterThan(token);
        assertThat(renew()).isNotInstanceOf(RenewReply.Renewed.class);
    }
}
