package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is answered when some servers fail, or say something else than the others. */
class QuorumFailuresTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final HolderInfo HERE = new HolderInfo("web-1", 1, "main");
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final OwnerId ALICE = new OwnerId("alice", 1);
    private static final OwnerId BOB = new OwnerId("bob", 1);

    private final FakeTicker time = new FakeTicker();
    private final List<Server> servers = servers(3);
    private final QuorumLockStore store = quorum(servers);

    /** Says something else than it would, on demand. */
    private static final class Server extends StoreSpy {
        private UnaryOperator<AcquireReply> acquired = reply -> reply;
        private UnaryOperator<ReleaseReply> released = reply -> reply;
        private boolean closed;

        private final LockStore memory;

        Server(LockStore memory) {
            super(memory);
            this.memory = memory;
        }

        @Override
        public LockStatus inspect(LockKey key) {
            before.run();
            return super.inspect(key);
        }

        boolean isFree() {
            return memory.inspect(KEY).holders().isEmpty();
        }

        long lastFencingToken() {
            return memory.inspect(KEY).lastFencingToken();
        }

        @Override
        public AcquireReply acquire(AcquireRequest request) {
            return acquired.apply(super.acquire(request));
        }

        @Override
        public ReleaseReply release(ReleaseRequest request) {
            return released.apply(super.release(request));
        }

        @Override
        public void close() {
            closed = true;
        }

        void fails(String why, boolean outcomeUnknown) {
            before = () -> {
                throw new LockStoreException(why, null, outcomeUnknown);
            };
        }
    }

    /** Their clocks are seconds apart. */
    private List<Server> servers(int count) {
        return IntStream.range(0, count)
                .mapToObj(
                        i -> new Server(new InMemoryLockStore(time, InstantSource.offset(time, Duration.ofSeconds(i)))))
                .toList();
    }

    private QuorumLockStore quorum(List<Server> of) {
        return new QuorumLockStore(nodes(of), LONGEST, time, threads -> Runnable::run);
    }

    private static List<QuorumNode> nodes(List<Server> of) {
        return IntStream.range(0, of.size())
                .mapToObj(i -> new QuorumNode("node-" + i, of.get(i)))
                .toList();
    }

    private static AcquireRequest request(LockKey key, OwnerId owner, int limit, Duration lease) {
        return new AcquireRequest(key, owner, lease.toMillis(), HERE, limit, 1, false, false, 1, 0, false);
    }

    private AcquireReply acquire(OwnerId owner, int limit) {
        return store.acquire(request(KEY, owner, limit, Duration.ofSeconds(30)));
    }

    private static AcquireReply.Granted granted(AcquireReply reply) {
        assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
        return (AcquireReply.Granted) reply;
    }

    private static AcquireReply.Held held(AcquireReply reply) {
        assertThat(reply).isInstanceOf(AcquireReply.Held.class);
        return (AcquireReply.Held) reply;
    }

    private ReleaseReply release(OwnerId owner) {
        return store.release(new ReleaseRequest(KEY, owner));
    }

    private RenewReply renew(OwnerId owner, Duration lease) {
        return store.renew(List.of(Requests.renewal(KEY, owner, lease.toMillis())))
                .get(0);
    }

    static Stream<Consumer<QuorumLockStore>> calls() {
        return Stream.of(
                quorum -> quorum.acquire(request(KEY, ALICE, 0, Duration.ofSeconds(30))),
                quorum -> quorum.release(new ReleaseRequest(KEY, ALICE)),
                quorum -> quorum.renew(List.of(Requests.renewal(KEY, ALICE, 1000))),
                quorum -> quorum.extend(Requests.renewal(KEY, ALICE, 1000)),
                quorum -> quorum.leave(KEY, ALICE, Duration.ZERO, ReleaseRequest.ALL_TOKENS),
                quorum -> quorum.inspect(KEY),
                quorum -> quorum.forceRelease(KEY));
    }

    @ParameterizedTest
    @MethodSource("calls")
    void failure_of_most_servers_says_why_each_of_them_failed(Consumer<QuorumLockStore> call) {
        acquire(ALICE, 0);
        servers.get(0).fails("no route to host", true);
        servers.get(2).fails("READONLY", false);

        assertThatThrownBy(() -> call.accept(store))
                .isInstanceOfSatisfying(LockStoreException.class, failure -> {
                    assertThat(failure.outcomeUnknown()).isTrue();
                    assertThat(failure.getCause()).isInstanceOf(LockStoreException.class);
                    assertThat(failure.getSuppressed()).hasSize(1);
                })
                .hasMessageContaining("2 of 3 lock servers failed, and 2 must succeed")
                .hasMessageContaining("node-0: no route to host")
                .hasMessageContaining("node-2: READONLY");
    }

    @ParameterizedTest
    @MethodSource("calls")
    void failure_of_one_server_of_three_is_not_told(Consumer<QuorumLockStore> call) {
        acquire(ALICE, 0);
        servers.get(1).reachable(false);

        call.accept(store);
    }

    @Test
    void answer_of_servers_that_were_sent_a_call_twice_says_so() {
        assertThat(granted(acquire(ALICE, 0)).resent()).isFalse();
        assertThat(held(acquire(BOB, 0)).resent()).isFalse();

        servers.forEach(server -> server.acquired = QuorumFailuresTest::resent);

        assertThat(granted(acquire(ALICE, 0)).resent()).isTrue();
        assertThat(held(acquire(BOB, 0)).resent()).isTrue();
    }

    private static AcquireReply resent(AcquireReply reply) {
        return reply instanceof AcquireReply.Granted granted
                ? new AcquireReply.Granted(granted.token(), granted.tokens(), granted.waiters(), true)
                : new AcquireReply.Held(held(reply).holder(), 0, held(reply).blockedFor(), 0, true);
    }

    @Test
    void refusal_names_the_holder_whichever_servers_know_it() {
        servers.get(1).acquire(request(KEY, ALICE, 0, Duration.ofSeconds(30)));
        servers.get(2).acquire(request(KEY, ALICE, 0, Duration.ofSeconds(30)));

        assertThat(held(acquire(BOB, 0)).holder())
                .hasValueSatisfying(holder -> assertThat(holder.clientId()).isEqualTo("alice"));
    }

    @Test
    void servers_that_agree_in_the_last_round_have_agreed() {
        int[] calls = new int[1];
        servers.get(0).acquired = reply -> ++calls[0] < 10
                ? new AcquireReply.Granted(
                        granted(reply).token() + 1, 1, granted(reply).waiters(), false)
                : reply;
        servers.get(1).reachable(false);

        assertThat(acquire(ALICE, 0)).isInstanceOf(AcquireReply.Granted.class);
        assertThat(calls[0]).isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT8761H", "PT2562047788015215H"})
    void longest_lease_has_a_range(Duration longest) {
        assertThatThrownBy(() -> new QuorumLockStore(nodes(servers), longest))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("longestLease is " + longest + "; it must be between 1 ms and 365 days");
    }

    @Test
    void who_is_cancelled_at_one_server_is_refused_for_good() {
        servers.get(2).leave(KEY, ALICE, Duration.ofSeconds(30), ReleaseRequest.ALL_TOKENS);
        servers.get(0).acquire(request(KEY, BOB, 0, Duration.ofSeconds(30)));

        assertThat(acquire(ALICE, 0)).isInstanceOf(AcquireReply.Cancelled.class);
    }

    @Test
    void servers_that_never_agree_on_a_token_end_as_contention() {
        for (int i = 0; i < 3; i++) {
            long ahead = i;
            servers.get(i).acquired = reply -> new AcquireReply.Granted(
                    granted(reply).token() + ahead, 1, granted(reply).waiters(), false);
        }

        assertThat(acquire(ALICE, 0)).isInstanceOf(AcquireReply.Held.class);

        assertThat(servers.get(0).acquires).hasSize(10);
        assertThat(servers).allMatch(Server::isFree);
    }

    @Test
    void one_round_is_enough_once_the_clocks_of_the_servers_are_known() {
        acquire(ALICE, 0);
        assertThat(servers.get(0).acquires).hasSize(2);
        release(ALICE);
        time.pass(Duration.ofMillis(1));

        granted(acquire(BOB, 0));

        assertThat(servers.get(0).acquires).hasSize(3);
    }

    @Test
    void release_that_was_sent_twice_to_most_servers_may_have_released_it_the_first_time() {
        acquire(ALICE, 0);
        servers.get(0).released = reply -> ReleaseReply.GONE;
        servers.get(1).released = reply -> ReleaseReply.GONE;
        assertThat(release(ALICE)).isEqualTo(ReleaseReply.GONE);

        servers.get(1).released = reply -> ReleaseReply.RELEASED;
        assertThat(release(ALICE)).isEqualTo(ReleaseReply.GONE);

        servers.get(1).released = reply -> ReleaseReply.NOT_HOLDER;
        servers.get(2).released = reply -> ReleaseReply.RELEASED;
        assertThat(release(ALICE)).isEqualTo(ReleaseReply.GONE);

        servers.get(2).released = reply -> ReleaseReply.NOT_HOLDER;
        assertThat(release(ALICE)).isEqualTo(ReleaseReply.NOT_HOLDER);
    }

    @Test
    void release_that_might_be_one_of_most_servers_but_for_a_failure_has_failed() {
        acquire(ALICE, 0);
        servers.get(0).reachable(false);
        servers.get(1).released = reply -> ReleaseReply.NOT_HOLDER;

        assertThatThrownBy(() -> release(ALICE)).isInstanceOf(LockStoreException.class);

        servers.get(2).released = reply -> ReleaseReply.GONE;
        assertThatThrownBy(() -> release(ALICE)).isInstanceOf(LockStoreException.class);

        servers.get(0).reachable(true);
        servers.get(2).released = reply -> ReleaseReply.NOT_HOLDER;
        assertThat(release(ALICE)).isEqualTo(ReleaseReply.NOT_HOLDER);
    }

    @Test
    void lease_that_a_restarted_server_does_not_wait_for_is_not_given_later_either() {
        acquire(ALICE, 0);

        assertThatThrownBy(() -> renew(ALICE, LONGEST.plusMillis(1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store.extend(Requests.renewal(KEY, ALICE, LONGEST.toMillis() + 1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(renew(ALICE, LONGEST)).isInstanceOf(RenewReply.Renewed.class);
        assertThat(store.extend(Requests.renewal(KEY, ALICE, LONGEST.toMillis())))
                .isInstanceOf(RenewReply.Renewed.class);
    }

    @Test
    void no_lease_to_renew_needs_no_reply() {
        assertThat(store.renew(List.of())).isEmpty();
    }

    @Test
    void hold_counts_if_most_servers_know_it() {
        servers.get(0).acquire(request(KEY, ALICE, 0, Duration.ofSeconds(30)));
        assertThat(store.inspect(KEY).holders()).isEmpty();

        servers.get(1)
                .acquire(new AcquireRequest(
                        KEY,
                        ALICE,
                        30_000,
                        HERE,
                        0,
                        1,
                        false,
                        false,
                        1,
                        servers.get(0).lastFencingToken() + 5_000_000,
                        false));
        assertThat(store.inspect(KEY).holders()).isEmpty();
        release(ALICE);

        granted(acquire(BOB, 0));
        servers.get(2).forceRelease(KEY);
        assertThat(store.inspect(KEY).holders()).hasSize(1);
        servers.get(1).forceRelease(KEY);
        assertThat(store.inspect(KEY).holders()).isEmpty();
    }

    @Test
    void last_fencing_token_allows_for_the_servers_that_do_not_answer() {
        List<Server> five = servers(5);
        QuorumLockStore of = quorum(five);
        for (int i = 0; i < 5; i++) {
            five.get(i).acquire(request(KEY, ALICE, 0, Duration.ofSeconds(30)));
        }
        long[] tokens = five.stream().mapToLong(Server::lastFencingToken).toArray();
        five.get(0).reachable(false);

        assertThat(of.inspect(KEY).lastFencingToken()).isIn(tokens[2], tokens[3]);
    }

    @Test
    void who_waits_asks_again_after_a_short_random_while() {
        EntryReply reply = store.keepEntries(List.of(Requests.entries(KEY, List.of(ALICE, BOB))))
                .get(0);

        assertThat(reply).isInstanceOfSatisfying(EntryReply.Kept.class, kept -> {
            assertThat(kept.called()).containsExactly(ALICE, BOB);
            assertThat(kept.blockedFor()).isBetween(Duration.ofMillis(25), Duration.ofMillis(75));
        });
        store.listen("alice", null).close();
    }

    @Test
    void quorum_needs_no_subscription() {
        try (LockEngine locks = LockEngine.builder(store).build();
                LockHandle held = locks.acquire(LockRequest.of(KEY))) {
            assertThatThrownBy(() -> NewThread.start(
                                    () -> locks.acquire(LockRequest.of(KEY).waitFor(Duration.ofMillis(100))))
                            .join())
                    .hasCauseInstanceOf(LockNotAcquiredException.class);

            assertThat(locks.subscriptionState()).isEqualTo(LocalLocks.SubscriptionState.NOT_NEEDED);
        }
    }

    @Test
    void closed_quorum_has_closed_its_servers_and_asks_none() {
        QuorumLockStore own = new QuorumLockStore(nodes(servers), LONGEST);
        own.renew(List.of(Requests.renewal(KEY, ALICE, 1000)));
        assertThat(Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().startsWith("holdfast-quorum-")))
                .isNotEmpty()
                .allMatch(Thread::isDaemon);

        own.close();

        assertThat(servers).allMatch(server -> server.closed);
        assertThatThrownBy(() -> own.renew(List.of(Requests.renewal(KEY, ALICE, 1000))))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void majority_that_is_lost_for_want_of_connections_is_no_failure_of_the_servers() {
        servers.get(0).fails("hangs", true);
        servers.get(1).before = () -> {
            throw new LockStoreException(
                    "all in use", new ConnectionsInUseException(new IllegalStateException("on purpose")), false);
        };
        assertThatThrownBy(() -> store.inspect(KEY))
                .isInstanceOf(LockStoreException.class)
                .hasCauseInstanceOf(ConnectionsInUseException.class);

        servers.get(1).before = () -> {
            throw new LockStoreException(
                    "is being connected",
                    new ConnectionsInUseException(new IllegalStateException("on purpose"), true),
                    false);
        };
        assertThatThrownBy(() -> store.inspect(KEY))
                .cause()
                .isInstanceOfSatisfying(
                        ConnectionsInUseException.class,
                        cause -> assertThat(cause.isFirstConnection()).isTrue());

        servers.get(2).fails("hangs too", true);

        assertThatThrownBy(() -> store.inspect(KEY))
                .isInstanceOf(LockStoreException.class)
                .cause()
                .isNotInstanceOf(ConnectionsInUseException.class);
    }
}
