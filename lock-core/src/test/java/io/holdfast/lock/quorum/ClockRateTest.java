package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.Requests;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The clocks of servers may run faster than those of their callers, by a hundredth. */
class ClockRateTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final HolderInfo HERE = new HolderInfo("web-1", 1, "main");
    private static final OwnerId ALICE = new OwnerId("alice", 1);
    private static final OwnerId BOB = new OwnerId("bob", 1);
    private static final Duration LITTLE = Duration.ofNanos(1);

    private final FakeTicker time = new FakeTicker();

    private QuorumLockStore quorum(Ticker servers) {
        List<QuorumNode> nodes = IntStream.range(0, 3)
                .mapToObj(i -> new QuorumNode("node-" + i, new InMemoryLockStore(servers, time)))
                .toList();
        return new QuorumLockStore(nodes, Duration.ofHours(1), time, threads -> Runnable::run);
    }

    private Ticker fast() {
        long start = time.nanos();
        return () -> {
            long passed = time.nanos() - start;
            return start + passed + passed / 100;
        };
    }

    private static AcquireReply acquire(QuorumLockStore store, OwnerId owner, long leaseMillis) {
        return store.acquire(new AcquireRequest(
                KEY, owner, leaseMillis, HERE, AcquireRequest.EXCLUSIVE, 1, false, false, 1, 0, false));
    }

    @ParameterizedTest
    @ValueSource(longs = {100, 199, 30_000, 3_600_000})
    void lock_is_granted_to_nobody_else_before_its_holder_takes_it_for_lost(long leaseMillis) {
        QuorumLockStore store = quorum(fast());
        acquire(store, ALICE, leaseMillis);

        time.pass(Duration.ofMillis(leaseMillis).minus(LITTLE));

        assertThat(acquire(store, BOB, leaseMillis)).isInstanceOf(AcquireReply.Held.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {200, 30_000, 3_600_000})
    void renewed_lock_is_granted_to_nobody_else_before_its_holder_takes_it_for_lost(long leaseMillis) {
        QuorumLockStore store = quorum(fast());
        acquire(store, ALICE, 100);
        store.renew(List.of(Requests.renewal(KEY, ALICE, leaseMillis)));

        time.pass(Duration.ofMillis(leaseMillis).minus(LITTLE));

        assertThat(acquire(store, BOB, leaseMillis)).isInstanceOf(AcquireReply.Held.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {200, 30_000, 3_600_000})
    void extended_lock_is_granted_to_nobody_else_before_its_holder_takes_it_for_lost(long leaseMillis) {
        QuorumLockStore store = quorum(fast());
        acquire(store, ALICE, 100);
        store.extend(Requests.renewal(KEY, ALICE, leaseMillis));

        time.pass(Duration.ofMillis(leaseMillis).minus(LITTLE));

        assertThat(acquire(store, BOB, leaseMillis)).isInstanceOf(AcquireReply.Held.class);
    }

    @Test
    void lease_is_told_as_its_holder_counts_it() {
        QuorumLockStore store = quorum(time);
        acquire(store, ALICE, 30_000);

        assertThat(store.inspect(KEY).holders())
                .extracting(LockHolder::remaining)
                .containsExactly(Duration.ofSeconds(30));
        assertThat(((AcquireReply.Held) acquire(store, BOB, 30_000)).holder())
                .map(LockHolder::remaining)
                .contains(Duration.ofSeconds(30));
    }

    @Test
    void lease_that_has_ended_for_its_holder_but_not_at_the_servers_has_nothing_left() {
        QuorumLockStore store = quorum(time);
        acquire(store, ALICE, 30_000);

        time.pass(Duration.ofSeconds(30).plusMillis(301));

        assertThat(store.inspect(KEY).holders())
                .extracting(LockHolder::remaining)
                .containsExactly(Duration.ZERO);
    }
}
