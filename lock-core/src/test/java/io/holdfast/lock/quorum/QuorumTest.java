package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.scan.StoreScan;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How many servers it takes, on stores in memory that come and go. */
class QuorumTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final HolderInfo HERE = new HolderInfo("web-1", 1, "main");
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final FakeTicker time = new FakeTicker();
    private int sequence;

    /** Their clocks are seconds apart. */
    private List<StoreSpy> servers(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new StoreSpy(
                        new InMemoryLockStore(time, InstantSource.offset(time, Duration.ofSeconds(i % 3)))))
                .toList();
    }

    private QuorumLockStore quorum(List<StoreSpy> servers) {
        List<QuorumNode> nodes = IntStream.range(0, servers.size())
                .mapToObj(i -> new QuorumNode("node-" + i, servers.get(i)))
                .toList();
        return new QuorumLockStore(nodes, LONGEST, time, threads -> Runnable::run);
    }

    private QuorumLockStore withSecond(LockStore second) {
        List<QuorumNode> nodes = List.of(
                new QuorumNode("a:1", new InMemoryLockStore()),
                new QuorumNode("b:1", second),
                new QuorumNode("c:1", new InMemoryLockStore()));
        return new QuorumLockStore(nodes, LONGEST, time, threads -> Runnable::run);
    }

    private OwnerId owner() {
        return new OwnerId("client", ++sequence);
    }

    private static AcquireRequest request(OwnerId owner, int limit, long leaseMillis) {
        return new AcquireRequest(KEY, owner, leaseMillis, HERE, limit, 1, false, true, 1, 0, false);
    }

    /** Otherwise waiters whose tries take longer than the usual interval occupy the servers all the time, and nobody gets enough of them. */
    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void refused_waiter_rests_longer_if_its_try_took_long_but_for_a_second_at_most(int count) {
        QuorumLockStore quorum = quorum(servers(count).stream()
                .map(server -> slowed(server, Duration.ofMillis(10)))
                .toList());
        quorum.acquire(request(owner(), AcquireRequest.EXCLUSIVE, 60_000));

        int resting = 0;
        for (int i = 0; i < 30; i++) {
            OwnerId waiter = owner();
            quorum.acquire(request(waiter, AcquireRequest.EXCLUSIVE, 60_000));
            time.pass(Duration.ofMillis(75));
            resting += called(quorum, waiter).isEmpty() ? 1 : 0;
            time.pass(Duration.ofMillis(925));
            assertThat(called(quorum, waiter)).containsExactly(waiter);
        }

        assertThat(resting).isPositive();
    }

    @Test
    void refused_waiter_does_not_rest_longer_than_usual_if_its_try_was_quick() {
        QuorumLockStore quorum = quorum(servers(3).stream()
                .map(server -> slowed(server, Duration.ofMillis(2)))
                .toList());
        quorum.acquire(request(owner(), AcquireRequest.EXCLUSIVE, 60_000));

        for (int i = 0; i < 30; i++) {
            OwnerId waiter = owner();
            quorum.acquire(request(waiter, AcquireRequest.EXCLUSIVE, 60_000));
            time.pass(Duration.ofMillis(75));
            assertThat(called(quorum, waiter)).containsExactly(waiter);
        }
    }

    private StoreSpy slowed(LockStore server, Duration delay) {
        return new StoreSpy(server) {
            @Override
            public AcquireReply acquire(AcquireRequest request) {
                time.pass(delay);
                return super.acquire(request);
            }
        };
    }

    private static List<OwnerId> called(LockStore quorum, OwnerId waiter) {
        EntryReply reply = quorum.keepEntries(List.of(Requests.entries(KEY, List.of(waiter))))
                .get(0);
        return ((EntryReply.Kept) reply).called();
    }

    /** Not for as long as the slowest server keeps it: the others may have granted it to somebody else by then. */
    @Test
    void holder_has_the_lock_for_as_long_as_enough_servers_keep_it() {
        List<List<LockHolder>> reported = Stream.of(30, 10, 20)
                .map(seconds -> List.of(new LockHolder(
                        "client",
                        "host",
                        1,
                        "main",
                        Instant.EPOCH,
                        Duration.ofSeconds(seconds),
                        7,
                        LockMode.EXCLUSIVE,
                        false,
                        Optional.empty())))
                .toList();

        assertThat(Merged.holders(reported.stream(), 2))
                .extracting(LockHolder::remaining)
                .containsExactly(Merged.withoutDrift(reported.get(2).get(0)).remaining());
    }

    @Test
    void eviction_policy_of_each_server_is_known_as_far_as_it_tells() {
        List<QuorumNode> nodes = List.of(
                new QuorumNode("a:1", evicting(Map.of("", "noeviction"))),
                new QuorumNode("b:1", evicting(Map.of())),
                new QuorumNode("c:1", evicting(null)));
        QuorumLockStore store = new QuorumLockStore(nodes, LONGEST, time, threads -> Runnable::run);

        assertThat(store.evictionPolicies()).isEqualTo(Map.of("a:1", "noeviction", "b:1", "unknown", "c:1", "unknown"));
    }

    @Test
    void server_counts_as_failed_until_a_call_succeeds() {
        List<String> failure = new ArrayList<>(List.of("refused"));
        StoreSpy failing = new StoreSpy(new InMemoryLockStore()) {
            @Override
            public LockStatus inspect(LockKey key) {
                if (!failure.isEmpty()) {
                    throw new LockStoreException(failure.remove(0), new IllegalStateException(), false);
                }
                return super.inspect(key);
            }
        };
        QuorumLockStore store = withSecond(failing);

        assertThat(store.failedServers()).isEmpty();
        store.inspect(KEY);
        assertThat(store.failedServers()).isEqualTo(Map.of("b:1", "refused"));
        store.inspect(KEY);
        assertThat(store.failedServers()).isEmpty();
    }

    /** A store of a server that does not respond knows no policy, and does not throw. */
    @Test
    void server_that_does_not_tell_its_eviction_policy_still_counts_as_failed() {
        StoreSpy failing = new StoreSpy(new InMemoryLockStore()) {
            @Override
            public LockStatus inspect(LockKey key) {
                throw new LockStoreException("refused", new IllegalStateException(), false);
            }

            @Override
            public Map<String, String> evictionPolicies() {
                return Map.of("", "unknown");
            }
        };
        QuorumLockStore store = withSecond(failing);
        store.inspect(KEY);

        assertThat(store.evictionPolicies()).containsEntry("b:1", "unknown");

        assertThat(store.failedServers()).containsOnlyKeys("b:1");
    }

    private static StoreSpy evicting(Map<String, String> policies) {
        return new StoreSpy(new InMemoryLockStore()) {
            @Override
            public Map<String, String> evictionPolicies() {
                if (policies == null) {
                    throw unreachable();
                }
                return policies;
            }
        };
    }

    @Test
    void servers_whose_scan_ends_before_that_of_another_still_count() {
        QuorumLockStore store = withSecond(new StoreSpy(new InMemoryLockStore()) {
            @Override
            public Optional<StoreScan> openScan(String keysStartingWith) {
                return Optional.of(new TwoSteps(super.openScan(keysStartingWith).orElseThrow()));
            }
        });
        store.acquire(request(owner(), AcquireRequest.EXCLUSIVE, 30_000));
        StoreScan scan = store.openScan("").orElseThrow();

        assertThat(scan.step()).isTrue();
        assertThat(scan.step()).isFalse();

        assertThat(scan.isComplete()).isTrue();
        assertThat(scan.found()).hasSize(1);
    }

    @Test
    void scan_that_one_server_did_not_complete_is_not_complete() {
        QuorumLockStore store = withSecond(new StoreSpy(new InMemoryLockStore()) {
            @Override
            public Optional<StoreScan> openScan(String keysStartingWith) {
                return Optional.of(new TwoSteps(super.openScan(keysStartingWith).orElseThrow()) {
                    @Override
                    public boolean isComplete() {
                        return false;
                    }
                });
            }
        });

        assertThat(scanned(store).isComplete()).isFalse();
    }

    @Test
    void scan_finds_no_lock_that_no_holder_has_on_most_servers() {
        List<StoreSpy> servers = servers(3);
        servers.forEach(server -> server.acquire(request(owner(), AcquireRequest.EXCLUSIVE, 30_000)));

        assertThat(scanned(quorum(servers)).found()).isEmpty();
    }

    private static StoreScan scanned(QuorumLockStore store) {
        StoreScan scan = store.openScan("").orElseThrow();
        boolean goesOn;
        do {
            goesOn = scan.step();
        } while (goesOn);
        return scan;
    }

    /** The server may have carried out the call, or may still do so: then the owner id must not be used again. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void grant_counts_as_resent_if_the_outcome_at_one_server_is_unknown(boolean unknown) {
        List<StoreSpy> servers = servers(3);
        servers.get(0).beforeAcquire = () -> {
            throw new LockStoreException("failed on purpose", new IllegalStateException(), unknown);
        };

        AcquireReply reply = quorum(servers).acquire(request(owner(), AcquireRequest.EXCLUSIVE, 30_000));

        assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
        assertThat(reply.resent()).isEqualTo(unknown);
    }

    @Test
    void servers_are_disconnected_and_connected_together() {
        List<String> calls = new ArrayList<>();
        List<StoreSpy> servers = IntStream.range(0, 3)
                .<StoreSpy>mapToObj(i -> new StoreSpy(new InMemoryLockStore()) {
                    @Override
                    public void disconnect() {
                        calls.add("disconnect " + i);
                    }

                    @Override
                    public void connect() {
                        calls.add("connect " + i);
                    }
                })
                .toList();
        QuorumLockStore store = quorum(servers);

        store.disconnect();
        store.connect();

        assertThat(calls)
                .containsExactlyInAnyOrder(
                        "disconnect 0", "disconnect 1", "disconnect 2", "connect 0", "connect 1", "connect 2");
    }

    @Test
    void calls_may_be_delayed_for_as_long_as_those_of_the_slowest_server() {
        QuorumLockStore store = withSecond(new StoreSpy(new InMemoryLockStore()) {
            @Override
            public Duration longestDelay() {
                return Duration.ofMinutes(7);
            }
        });

        assertThat(store.longestDelay()).isEqualTo(Duration.ofMinutes(7));
        assertThat(store).hasToString("the quorum of a:1, b:1, c:1");
    }

    private static class TwoSteps implements StoreScan {

        private final StoreScan scan;
        private int steps;

        TwoSteps(StoreScan scan) {
            this.scan = scan;
        }

        @Override
        public boolean step() {
            scan.step();
            return ++steps < 2;
        }

        @Override
        public int size() {
            return scan.size();
        }

        @Override
        public boolean isComplete() {
            return scan.isComplete();
        }

        @Override
        public List<LockStatus> found() {
            return scan.found();
        }
    }

    @Test
    void last_fencing_token_is_one_that_most_servers_may_have_noted() {
        assertThat(lastFencingToken(0, 10, 10, 12)).isEqualTo(10);
        assertThat(lastFencingToken(1, 10, 5)).isEqualTo(10);
        assertThat(lastFencingToken(1, 10, 12)).isEqualTo(12);
        assertThat(lastFencingToken(2, 7, 9, 8)).isEqualTo(9);
    }

    private static long lastFencingToken(int silent, long... noted) {
        List<LockStatus> statuses = LongStream.of(noted)
                .mapToObj(token -> new LockStatus(KEY, List.of(), List.of(), 0, token, Duration.ZERO))
                .toList();
        int servers = noted.length + silent;
        return Merged.status(statuses, servers / 2 + 1, silent).lastFencingToken();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 4, 6})
    void too_few_servers_and_even_numbers_are_refused(int count) {
        assertThatThrownBy(() -> quorum(servers(count)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("odd number");
    }

    @Test
    void server_that_is_named_twice_is_refused() {
        List<QuorumNode> nodes = List.of(
                new QuorumNode("a:1", new InMemoryLockStore()),
                new QuorumNode("b:1", new InMemoryLockStore()),
                new QuorumNode("a:1", new InMemoryLockStore()));

        assertThatThrownBy(() -> new QuorumLockStore(nodes, LONGEST))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("twice");
    }

    @Test
    void fair_locks_are_refused() {
        AcquireRequest fair = new AcquireRequest(KEY, owner(), 1000, HERE, 0, 1, true, true, 1, 0, false);

        assertThatThrownBy(() -> quorum(servers(3)).acquire(fair))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fair locks");
    }

    @Test
    void data_is_refused_before_anything_is_acquired() {
        List<StoreSpy> servers = servers(3);
        try (LockEngine locks = LockEngine.builder(quorum(servers)).build()) {
            LockRequest request = LockRequest.of(KEY).withData(Duration.ofHours(1));

            assertThatThrownBy(() -> locks.acquire(request))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the quorum of node-0, node-1, node-2")
                    .hasMessageContaining("Remove withData");
        }
        assertThat(servers).allSatisfy(server -> assertThat(server.acquires).isEmpty());
    }

    @Test
    void lease_that_a_restarted_server_does_not_wait_for_is_refused() {
        QuorumLockStore store = quorum(servers(3));

        assertThatThrownBy(() -> store.acquire(request(owner(), 0, LONGEST.toMillis() + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rejoin-delay");
        assertThat(store.acquire(request(owner(), 0, LONGEST.toMillis()))).isInstanceOf(AcquireReply.Granted.class);
    }

    /** Each server is asked by each client, in an order of its own; some do not answer. */
    @RepeatedTest(200)
    void permits_are_never_more_than_the_limit(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        int limit = 1 + random.nextInt(5);
        List<StoreSpy> servers = servers(random.nextBoolean() ? 3 : 5);
        QuorumLockStore store = quorum(servers);
        List<OwnerId> holders = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            servers.forEach(server -> server.reachable(random.nextInt(5) > 0));
            OwnerId owner = owner();
            try {
                if (store.acquire(request(owner, limit, 60_000)) instanceof AcquireReply.Granted) {
                    holders.add(owner);
                }
            } catch (LockStoreException majorityLost) {
                // What a minority has granted stays in the way of others.
            }
            assertThat(holders).hasSizeLessThanOrEqualTo(limit);
            if (!holders.isEmpty() && random.nextInt(4) == 0) {
                servers.forEach(server -> server.reachable(true));
                store.release(new ReleaseRequest(KEY, holders.remove(0)));
            }
        }
    }

    @Test
    void permits_need_more_servers_than_a_majority() {
        List<StoreSpy> servers = servers(3);
        QuorumLockStore store = quorum(servers);
        OwnerId owner = owner();
        assertThat(store.acquire(request(owner, 2, 30_000))).isInstanceOf(AcquireReply.Granted.class);
        assertThat(renew(store, owner, 2)).isInstanceOf(RenewReply.Renewed.class);

        servers.get(0).reachable(false);

        assertThat(renew(store, owner, 2)).isInstanceOf(RenewReply.Failed.class);
        servers.get(0).reachable(true);
        assertThat(renew(store, owner, 2)).isInstanceOf(RenewReply.Renewed.class);
    }

    @Test
    void client_extends_and_releases_a_permit_on_as_many_servers_as_it_needs() {
        List<StoreSpy> servers = servers(3);
        try (LockEngine client = LockEngine.builder(quorum(servers)).build()) {
            LockHandle permit = client.acquire(LockRequest.of(KEY).shared(2));

            servers.get(0).reachable(false);
            assertThatThrownBy(() -> permit.extend(Duration.ofSeconds(40))).isInstanceOf(LockStoreException.class);

            servers.get(0).reachable(true);
            servers.get(0).forceRelease(KEY);
            assertThatThrownBy(permit::close).isInstanceOf(LockLostException.class);
        }
    }

    @Test
    void exclusive_lock_is_renewed_by_a_majority_and_by_no_less() {
        List<StoreSpy> servers = servers(5);
        QuorumLockStore store = quorum(servers);
        OwnerId owner = owner();
        store.acquire(request(owner, 0, 30_000));

        servers.get(0).reachable(false);
        servers.get(3).reachable(false);
        assertThat(renew(store, owner, AcquireRequest.EXCLUSIVE)).isInstanceOf(RenewReply.Renewed.class);

        servers.get(4).forceRelease(KEY);
        assertThat(renew(store, owner, AcquireRequest.EXCLUSIVE)).isInstanceOf(RenewReply.Failed.class);

        servers.forEach(server -> server.reachable(true));
        assertThat(renew(store, owner, AcquireRequest.EXCLUSIVE)).isInstanceOf(RenewReply.Renewed.class);
        servers.get(0).forceRelease(KEY);
        servers.get(1).forceRelease(KEY);
        assertThat(renew(store, owner, AcquireRequest.EXCLUSIVE)).isInstanceOf(RenewReply.NotHolder.class);
    }

    private static RenewReply renew(QuorumLockStore store, OwnerId owner, int limit) {
        return store.renew(List.of(Requests.renewal(KEY, owner, 30_000, limit))).get(0);
    }

    @Test
    void what_a_minority_granted_is_given_back() {
        List<StoreSpy> servers = servers(3);
        QuorumLockStore store = quorum(servers);
        OwnerId others = owner();
        servers.get(0).acquire(request(others, 0, 30_000));
        servers.get(1).acquire(request(others, 0, 30_000));

        AcquireReply reply = store.acquire(request(owner(), 0, 30_000));

        assertThat(reply).isInstanceOf(AcquireReply.Held.class);
        assertThat(servers.get(2).inspect(KEY).holders()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void majority_that_does_not_answer_is_a_failure_whatever_the_last_server_says(int alive) {
        List<StoreSpy> servers = servers(3);
        QuorumLockStore store = quorum(servers);
        servers.get(alive).acquire(request(owner(), 0, 30_000));
        servers.forEach(server -> server.reachable(servers.indexOf(server) == alive));

        assertThatThrownBy(() -> store.acquire(request(owner(), 0, 30_000))).isInstanceOf(LockStoreException.class);
    }

    /** Each time by a client that knows nothing of the servers' clocks. */
    @Test
    void tokens_grow_whichever_majority_grants_them() {
        List<StoreSpy> servers = servers(5);
        Random random = new Random(1);
        long last = 0;
        for (int i = 0; i < 500; i++) {
            int down = random.nextInt(5);
            int alsoDown = random.nextInt(5);
            for (int server = 0; server < 5; server++) {
                servers.get(server).reachable(server != down && server != alsoDown);
            }
            OwnerId owner = owner();
            AcquireReply reply = quorum(servers).acquire(request(owner, 0, 100));
            assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
            long token = ((AcquireReply.Granted) reply).token();
            assertThat(token).isGreaterThan(last);
            last = token;
            time.pass(Duration.ofMillis(random.nextBoolean() ? 200 : 104));
        }
    }
}
