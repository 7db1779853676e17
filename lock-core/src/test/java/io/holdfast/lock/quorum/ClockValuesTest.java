package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.CapturedLog;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers whose clocks show another time than the others'. */
class ClockValuesTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final Duration REJOIN_DELAY = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final FakeTicker time = new FakeTicker();
    private final List<Duration> offsets = new ArrayList<>(List.of(Duration.ZERO, Duration.ZERO, Duration.ZERO));
    private final List<StoreSpy> servers = new ArrayList<>();
    private QuorumLockStore store;
    private int sequence;

    private void start() {
        servers.clear();
        offsets.forEach(
                offset -> servers.add(new StoreSpy(new InMemoryLockStore(time, InstantSource.offset(time, offset)))));
        connect();
    }

    private void connect() {
        List<QuorumNode> nodes = servers.stream()
                .map(server -> new QuorumNode("node-" + servers.indexOf(server), server))
                .toList();
        store = new QuorumLockStore(nodes, REJOIN_DELAY, time, threads -> Runnable::run);
    }

    private long now() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time.instant());
    }

    private long acquireAndRelease() {
        OwnerId owner = new OwnerId("client", ++sequence);
        long token = acquire(owner);
        store.release(new ReleaseRequest(KEY, owner));
        return token;
    }

    private long acquire(OwnerId owner) {
        AcquireReply reply = store.acquire(request(owner, 1));
        assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
        return ((AcquireReply.Granted) reply).token();
    }

    @ParameterizedTest
    @CsvSource({"0,PT1H", "1,PT1H", "2,PT1H", "0,PT-1H", "1,PT-1H", "2,PT-1H"})
    void tokens_follow_the_clocks_of_most_servers(int off, Duration by) {
        offsets.set(off, by);
        start();

        long last = 0;
        for (int i = 0; i < 100; i++) {
            long token = acquireAndRelease();
            assertThat(token).isGreaterThan(last).isBetween(now(), now() + 60_000_000L);
            last = token;
            time.pass(Duration.ofMillis(500));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void tokens_grow_after_most_servers_lost_their_data_and_the_one_that_is_ahead_is_gone(int ahead) {
        offsets.set(ahead, HOUR);
        start();
        long before = acquireAndRelease();

        start();
        servers.get(ahead).reachable(false);
        time.pass(REJOIN_DELAY);

        assertThat(acquireAndRelease()).isGreaterThan(before);
    }

    @Test
    void token_of_a_server_that_is_ahead_counts_where_it_is_needed() {
        offsets.set(0, HOUR);
        start();
        servers.get(2).reachable(false);
        long ahead = acquireAndRelease();
        assertThat(ahead).isGreaterThan(now() + 3_599_000_000L);

        servers.get(2).reachable(true);
        servers.get(0).reachable(false);

        assertThat(acquireAndRelease()).isGreaterThan(ahead);
    }

    /** With a block for each of them, clients that contend would drive the tokens ahead of the time for as long as they do. */
    @Test
    void tokens_of_tries_that_failed_are_given_back() {
        start();
        OwnerId other = new OwnerId("other", 1);
        servers.subList(1, 3).forEach(server -> server.acquire(request(other, 1)));
        for (int i = 0; i < 100; i++) {
            AcquireReply reply = store.acquire(request(new OwnerId("client", ++sequence), 100_000));
            assertThat(reply).isInstanceOf(AcquireReply.Held.class);
        }
        servers.forEach(server -> server.release(new ReleaseRequest(KEY, other)));

        assertThat(acquireAndRelease()).isLessThan(now() + 100_000);
    }

    /** That call may arrive at any later time, and would free what a later try is granted, with tokens that are in use. */
    @Test
    void server_that_did_not_answer_when_a_try_was_given_back_is_not_asked_again_by_that_acquisition() {
        start();
        OwnerId other = new OwnerId("other", 1);
        OwnerId owner = new OwnerId("impatient", 1);
        servers.subList(1, 3).forEach(server -> server.acquire(request(other, 1)));
        servers.get(0).afterRelease = () -> {
            throw StoreSpy.unreachable();
        };
        assertThat(store.acquire(request(owner, 1))).isInstanceOf(AcquireReply.Held.class);
        servers.get(0).afterRelease = () -> {};
        servers.forEach(server -> server.release(new ReleaseRequest(KEY, other)));
        int asked = servers.get(0).acquires.size();

        assertThat(store.acquire(request(owner, 1))).isInstanceOf(AcquireReply.Granted.class);
        assertThat(servers.get(0).acquires).hasSize(asked);

        store.release(new ReleaseRequest(KEY, owner));
        acquireAndRelease();
        assertThat(servers.get(0).acquires).hasSize(asked + 1);
    }

    private static AcquireRequest request(OwnerId owner, long tokens) {
        HolderInfo somewhere = new HolderInfo("web-1", 1, "main");
        return new AcquireRequest(
                KEY, owner, 30_000, somewhere, AcquireRequest.EXCLUSIVE, 1, false, false, tokens, 0, false);
    }

    @Test
    void who_asks_again_gets_the_token_that_a_server_had_chosen_which_was_not_waited_for() {
        Duration ahead = Duration.ofMillis(2);
        offsets.set(2, ahead);
        start();
        OwnerId holder = new OwnerId("client", 1);
        long token = acquire(holder);
        assertThat(acquire(holder)).isEqualTo(token);

        servers.get(1).reachable(false);

        assertThat(acquire(holder)).isEqualTo(token + ahead.toNanos() / 1000);
    }

    @Test
    void clocks_that_are_a_few_seconds_apart_cost_nothing() {
        offsets.set(1, Duration.ofSeconds(5));
        start();
        acquireAndRelease();
        int asked = asked();

        acquireAndRelease();

        assertThat(asked() - asked).isEqualTo(3);
    }

    private int asked() {
        return servers.stream().mapToInt(server -> server.acquires.size()).sum();
    }

    @Test
    void clocks_that_differ_by_more_than_the_rejoin_delay_are_logged_once_in_ten_minutes() {
        offsets.set(1, HOUR);
        start();
        try (CapturedLog log = new CapturedLog(TokenClock.class.getName(), Level.WARN)) {
            acquireAndRelease();
            acquireAndRelease();

            assertThat(log.events())
                    .singleElement()
                    .satisfies(event -> assertThat(event.getFormattedMessage())
                            .contains("differ by 1 h, more than the rejoin-delay of 1 min.")
                            .contains("node-1=" + (now() + 3_600_000_000L)));

            time.pass(Duration.ofMinutes(11));
            acquireAndRelease();
            assertThat(log.events()).hasSize(2);
        }
    }

    @Test
    void clocks_that_differ_by_less_are_not_logged() {
        offsets.set(1, REJOIN_DELAY);
        start();
        try (CapturedLog log = new CapturedLog(TokenClock.class.getName(), Level.WARN)) {
            acquireAndRelease();

            assertThat(log.events()).isEmpty();
        }
    }
}
