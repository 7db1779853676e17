package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.CapturedLog;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** When the entries of a client are asked for, and who is woken. */
class EntryKeeperTest {

    private static final String CLIENT = "client";
    private static final LockKey KEY = LockKey.of("order:42");
    private static final HolderInfo HERE = new HolderInfo("host", 1, "main");
    private static final Reservation RESERVATION = new Reservation(1, 1, Waiters.NONE, 1, 1_500_000);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int ROUNDS = 200;

    private final FakeTicker time = new FakeTicker();
    private final Store store = new Store(new InMemoryLockStore(time, time));
    private final List<Long> revoked = new ArrayList<>();
    private final EntryKeeper keeper = new EntryKeeper(store, CLIENT, time, false, revoked::add);
    private long lastSequence;

    /** A keeper of a store that replies to each request of a poll on its own. */
    private EntryKeeper partly(BiFunction<List<EntryRequest>, EntryRequest, EntryReply> reply) {
        var partly = new StoreSpy(store) {
            @Override
            public List<EntryReply> keepEntries(List<EntryRequest> requests) {
                return requests.stream()
                        .map(request -> reply.apply(requests, request))
                        .toList();
            }
        };
        return new EntryKeeper(partly, CLIENT, time, false, sequence -> {});
    }

    /** One more than fit in two requests. */
    private List<QueueEntry> openMany(EntryKeeper keeper, LockKey key) {
        List<QueueEntry> entries = new ArrayList<>();
        for (int i = 1; i <= 1201; i++) {
            QueueEntry entry = keeper.open(key, new OwnerId(CLIENT, i));
            keeper.taken(entry, time.nanos(), heldFor(LONG));
            entries.add(entry);
        }
        return entries;
    }

    /** Its connection comes and goes on demand, and its hints get lost on demand. */
    private static final class Store extends StoreSpy {
        private boolean connects = true;
        private boolean losesHints;
        private int listened;
        private int closed;
        private int doubts;

        Store(LockStore delegate) {
            super(delegate);
        }

        @Override
        public Listening listen(String clientId, WakeListener listener) {
            listened++;
            if (!connects) {
                return () -> closed++;
            }
            Listening open = super.listen(clientId, losesHints ? onlyConnection(listener) : listener);
            return new Listening() {
                @Override
                public void doubt() {
                    doubts++;
                }

                @Override
                public void close() {
                    closed++;
                    open.close();
                }
            };
        }

        private static WakeListener onlyConnection(WakeListener listener) {
            return new WakeListener() {
                @Override
                public void granted(long sequence, Reservation reservation) {}

                @Override
                public void awaited(long sequence, Waiters waiters) {}

                @Override
                public void connected() {
                    listener.connected();
                }

                @Override
                public void disconnected() {
                    listener.disconnected();
                }
            };
        }
    }

    @AfterEach
    void close() {
        store.reachable(true);
        keeper.close();
    }

    @Test
    void hearing_begins_with_the_first_waiter_and_ends_with_the_connection() {
        assertThat(keeper.subscriptionState()).isEqualTo(LocalLocks.SubscriptionState.NOT_NEEDED);

        listening();
        assertThat(keeper.subscriptionState()).isEqualTo(LocalLocks.SubscriptionState.CONNECTED);

        keeper.disconnected();
        assertThat(keeper.subscriptionState()).isEqualTo(LocalLocks.SubscriptionState.DISCONNECTED);
    }

    @Test
    void subscription_that_cannot_begin_is_tried_again_and_logged_once() {
        var attempts = new AtomicInteger();
        var fails = new AtomicBoolean(true);
        store.beforeListen = () -> {
            attempts.incrementAndGet();
            if (fails.get()) {
                throw new IllegalStateException("no thread left (on purpose)");
            }
        };
        try (CapturedLog log = new CapturedLog(EntryKeeper.class.getName(), Level.WARN)) {
            listening();
            Awaitility.await().until(() -> attempts.get() > 2);
            assertThat(keeper.subscriptionState()).isNotEqualTo(LocalLocks.SubscriptionState.CONNECTED);
            fails.set(false);
            Awaitility.await().until(() -> keeper.subscriptionState() == LocalLocks.SubscriptionState.CONNECTED);

            assertThat(log.events())
                    .singleElement()
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .asString()
                    .startsWith("Cannot subscribe to wakeup messages yet");
        }
    }

    @Test
    void lock_is_asked_for_when_what_blocks_it_ends_at_the_latest() {
        listening();
        for (int i = 0; i < ROUNDS; i++) {
            assertThat(intervalAfter(Duration.ofMillis(200))).isBetween(Duration.ofMillis(180), Duration.ofMillis(200));
        }
    }

    @Test
    void lock_that_is_blocked_for_long_is_asked_for_every_500_ms() {
        listening();
        for (int i = 0; i < ROUNDS; i++) {
            assertThat(intervalAfter(LONG)).isBetween(Duration.ofMillis(450), Duration.ofMillis(500));
        }
    }

    @Test
    void lock_is_asked_for_every_100_ms_while_hints_cannot_be_heard() {
        store.connects = false;
        for (int i = 0; i < ROUNDS; i++) {
            assertThat(intervalAfter(LONG)).isBetween(Duration.ofMillis(90), Duration.ofMillis(100));
        }
    }

    @Test
    void intervals_differ_so_that_clients_do_not_ask_in_step() {
        listening();
        Set<Duration> intervals = new HashSet<>();
        for (int i = 0; i < ROUNDS; i++) {
            intervals.add(intervalAfter(LONG));
        }
        assertThat(intervals).hasSizeGreaterThan(ROUNDS / 2);
    }

    @Test
    void lock_is_never_asked_for_twice_within_10_ms() {
        listening();
        taken(KEY, Duration.ZERO);
        for (int i = 0; i < 3; i++) {
            time.pass(Duration.ofNanos(9_999_999));
            keeper.tick();
            assertThat(store.polls).hasSize(i);
            time.pass(Duration.ofNanos(1));
            keeper.tick();
            assertThat(store.polls).hasSize(i + 1);
        }
    }

    @Test
    void interval_after_a_poll_follows_its_answer() {
        listening();
        held(KEY, Duration.ofMillis(150));
        taken(KEY, Duration.ofMillis(50));
        time.pass(Duration.ofMillis(50));

        assertThat(untilNext()).isBetween(Duration.ofMillis(90), Duration.ofMillis(100));
    }

    @Test
    void locks_that_are_due_soon_are_taken_along() {
        listening();
        LockKey soon = LockKey.of("soon");
        taken(KEY, Duration.ofMillis(50));
        taken(soon, Duration.ofMillis(60));
        taken(LockKey.of("later"), LONG);

        time.pass(Duration.ofMillis(50));
        keeper.tick();

        assertThat(store.polls)
                .singleElement()
                .satisfies(
                        poll -> assertThat(poll).extracting(EntryRequest::key).containsExactlyInAnyOrder(KEY, soon));
    }

    @Test
    void nothing_is_asked_before_it_is_due() {
        listening();
        taken(KEY, Duration.ofMillis(50));
        time.pass(Duration.ofMillis(44));
        keeper.tick();
        assertThat(store.polls).isEmpty();
    }

    @Test
    void all_entries_of_a_lock_are_asked_for_in_one_request() {
        listening();
        List<OwnerId> owners = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            owners.add(taken(KEY, LONG).owner);
        }
        time.pass(Duration.ofMillis(500));

        keeper.tick();

        assertThat(store.polls).singleElement().isEqualTo(List.of(Requests.entries(KEY, owners)));
    }

    /** However many of its requests fail, and in whichever order. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void row_that_fails_in_part_is_probed_more_and_more_rarely(boolean first) {
        EntryKeeper partlyKept = partly((requests, request) -> requests.indexOf(request) == 0 == first
                ? new EntryReply.Failed("WRONGTYPE")
                : new EntryReply.Kept(List.of(), 0, LONG));
        openMany(partlyKept, KEY);
        time.pass(Duration.ofMillis(500));

        for (int longest : List.of(100, 200, 400)) {
            long pause = partlyKept.tick() - time.nanos();
            long nanos = TimeUnit.MILLISECONDS.toNanos(longest);
            assertThat(pause).isBetween(nanos / 4 * 3, nanos);
            time.pass(Duration.ofNanos(pause));
        }
    }

    @Test
    void many_entries_of_a_lock_are_asked_for_in_several_requests_and_each_gets_its_own_answer() {
        LockKey broken = LockKey.of("broken");
        List<List<EntryRequest>> polls = new ArrayList<>();
        EntryKeeper partlyKept = partly((requests, request) -> {
            if (requests.indexOf(request) == 0) {
                polls.add(requests);
            }
            return request.owners().size() == 600
                    ? new EntryReply.Kept(List.of(request.owners().get(0)), 0, LONG)
                    : new EntryReply.Failed("WRONGTYPE");
        });
        List<QueueEntry> entries = openMany(partlyKept, broken);
        time.pass(Duration.ofMillis(500));

        long next = partlyKept.tick();

        assertThat(polls).hasSize(1);
        assertThat(polls.get(0)).extracting(request -> request.owners().size()).containsExactly(600, 600, 1);
        assertThat(entries.stream().filter(EntryKeeperTest::isCalled))
                .containsExactly(entries.get(0), entries.get(600));
        assertThat(entries.stream().filter(entry -> entry.failing() != null)).containsExactly(entries.get(1200));
        assertThat(next - time.nanos()).isBetween(1L, TimeUnit.MILLISECONDS.toNanos(100));
    }

    @Test
    void further_entry_never_delays_a_lock_and_may_bring_it_forward() {
        listening();
        taken(KEY, Duration.ofMillis(100));
        taken(KEY, LONG);
        assertThat(untilNext()).isBetween(Duration.ofMillis(90), Duration.ofMillis(100));

        taken(KEY, Duration.ofMillis(20));
        assertThat(untilNext()).isBetween(Duration.ofMillis(18), Duration.ofMillis(20));
    }

    @Test
    void everything_is_asked_for_at_once_when_hints_can_be_heard_again() {
        store.connects = false;
        taken(KEY, LONG);
        taken(LockKey.of("other"), LONG);

        keeper.connected();
        assertThat(untilNext()).isPositive();

        assertThat(store.polls)
                .singleElement()
                .satisfies(poll -> assertThat(poll).hasSize(2));
    }

    @Test
    void first_entry_is_asked_for_as_soon_as_hints_can_be_heard() {
        taken(KEY, LONG);
        keeper.tick();
        assertThat(store.polls).hasSize(1);
    }

    /** Hints in between were lost. Those that come later, while none can be heard, are made up for by the next poll. */
    @Test
    void reply_to_a_call_from_before_hints_could_be_heard_is_outdated() {
        listening();
        assertThat(isPolledAtOnce(keeper::connected)).isTrue();
        assertThat(isPolledAtOnce(keeper::disconnected)).isFalse();
    }

    private boolean isPolledAtOnce(Runnable duringTheCall) {
        QueueEntry entry = open(KEY);
        long askedAt = time.nanos();
        time.pass(Duration.ofMillis(1));
        duringTheCall.run();
        keeper.taken(entry, askedAt, heldFor(LONG));
        int polls = store.polls.size();
        keeper.tick();
        keeper.giveUp(entry);
        return store.polls.size() > polls;
    }

    @Test
    void locks_are_asked_for_within_100_ms_when_hints_cannot_be_heard_any_more() {
        listening();
        held(KEY, LONG);
        taken(KEY, LONG);

        keeper.disconnected();

        assertThat(untilNext()).isEqualTo(Duration.ofMillis(100));
        time.pass(Duration.ofMillis(100));
        assertThat(untilNext()).isBetween(Duration.ofMillis(90), Duration.ofMillis(100));
    }

    @Test
    void called_waiter_is_woken_without_a_poll() {
        OwnerId holder = held(KEY, LONG);
        QueueEntry entry = entryAtStore(KEY);
        assertThat(isCalled(entry)).isFalse();

        store.release(new ReleaseRequest(KEY, holder));

        assertThat(isCalled(entry)).isTrue();
        assertThat(store.polls).isEmpty();
    }

    @Test
    void lost_hint_is_made_up_for_by_the_next_poll() {
        store.losesHints = true;
        listening();
        OwnerId holder = held(KEY, LONG);
        QueueEntry entry = entryAtStore(KEY);
        QueueEntry behind = entryAtStore(KEY);
        store.release(new ReleaseRequest(KEY, holder));
        assertThat(isCalled(entry)).isFalse();

        time.pass(Duration.ofMillis(500));
        keeper.tick();

        assertThat(isCalled(entry)).isTrue();
        assertThat(isCalled(behind)).isFalse();
    }

    /** A hand-over of the lock that is found by asking. */
    private void missHint() {
        OwnerId holder = held(KEY, LONG);
        QueueEntry entry = entryAtStore(KEY);
        store.release(new ReleaseRequest(KEY, holder));
        time.pass(Duration.ofMillis(500));
        keeper.tick();
        keeper.giveUp(entry);
        store.release(new ReleaseRequest(KEY, entry.owner));
    }

    @Test
    void store_is_asked_whether_it_is_heard_after_three_hints_were_lost() {
        store.losesHints = true;
        for (int doubts = 0; doubts < 2; doubts++) {
            missHint();
            missHint();
            assertThat(store.doubts).isEqualTo(doubts);
            missHint();
            assertThat(store.doubts).isEqualTo(doubts + 1);
        }
    }

    @Test
    void hint_that_is_heard_makes_up_for_those_that_were_lost() {
        store.losesHints = true;
        for (int i = 0; i < 3; i++) {
            missHint();
            missHint();
            keeper.awaited(0, Waiters.NONE);
        }
        for (int i = 0; i < 3; i++) {
            missHint();
            missHint();
            keeper.granted(0, RESERVATION);
        }
        assertThat(store.doubts).isZero();
    }

    @Test
    void waiter_whose_entry_is_gone_is_woken() {
        held(KEY, LONG);
        QueueEntry entry = entryAtStore(KEY);
        store.leave(KEY, entry.owner, Duration.ZERO, ReleaseRequest.ALL_TOKENS);
        time.pass(Duration.ofMillis(500));

        keeper.tick();

        assertThat(isCalled(entry)).isTrue();
    }

    @Test
    void entries_that_are_kept_do_not_die() {
        held(KEY, LONG);
        entryAtStore(KEY);
        for (int i = 0; i < 20; i++) {
            time.pass(Duration.ofMillis(500));
            keeper.tick();
        }
        assertThat(store.inspect(KEY).waiters()).isOne();
    }

    @Test
    void entry_that_was_given_up_is_not_asked_for_any_more() {
        listening();
        QueueEntry leaving = taken(KEY, LONG);
        QueueEntry staying = taken(KEY, LONG);
        taken(LockKey.of("other"), LONG);

        keeper.giveUp(leaving);
        time.pass(Duration.ofMillis(500));
        keeper.tick();

        assertThat(store.polls)
                .singleElement()
                .satisfies(poll -> assertThat(poll)
                        .contains(Requests.entries(KEY, List.of(staying.owner)))
                        .hasSize(2));
    }

    @Test
    void entry_that_is_given_up_is_kept_by_the_store_if_the_last_answer_says_so() {
        QueueEntry entry = taken(KEY, LONG);
        entry.answered(true);
        assertThat(keeper.giveUp(entry)).isTrue();

        entry.answered(false);
        assertThat(keeper.giveUp(entry)).isFalse();
    }

    @Test
    void nothing_is_asked_once_all_entries_were_given_up() {
        keeper.giveUp(taken(KEY, LONG));
        time.pass(Duration.ofMinutes(1));

        assertThat(untilNext()).isGreaterThanOrEqualTo(Duration.ofMinutes(1));
        assertThat(store.polls).isEmpty();
    }

    @Test
    void entry_that_is_given_up_during_a_poll_is_not_asked_for_again() {
        QueueEntry entry = taken(KEY, LONG);
        time.pass(Duration.ofMillis(500));
        store.before = () -> keeper.giveUp(entry);
        keeper.tick();
        assertThat(store.polls).hasSize(1);

        time.pass(Duration.ofMinutes(1));
        keeper.tick();

        assertThat(store.polls).hasSize(1);
    }

    @Test
    void entry_that_is_taken_during_a_poll_is_asked_for_later() {
        taken(KEY, LONG);
        time.pass(Duration.ofMillis(500));
        store.beforeNextCallHere(() -> {
            taken(KEY, Duration.ofMillis(50));
        });
        assertThat(untilNext()).isBetween(Duration.ofMillis(1), Duration.ofMillis(50));

        time.pass(Duration.ofMillis(50));
        keeper.tick();

        assertThat(store.polls)
                .last()
                .satisfies(poll -> assertThat(poll)
                        .singleElement()
                        .satisfies(request -> assertThat(request.owners()).hasSize(2)));
    }

    @Test
    void entry_without_a_place_at_the_store_is_given_up_as_such() {
        assertThat(keeper.giveUp(open(KEY))).isFalse();
    }

    @Test
    void hint_for_an_entry_that_was_given_up_is_ignored() {
        QueueEntry entry = taken(KEY, LONG);
        keeper.giveUp(entry);

        keeper.granted(entry.owner.sequence(), RESERVATION);
        keeper.awaited(entry.owner.sequence(), Waiters.FAIR);

        assertThat(isCalled(entry)).isFalse();
    }

    @Test
    void store_that_fails_is_told_to_those_who_were_asked_for_and_none_of_them_is_to_ask() {
        listening();
        QueueEntry first = taken(KEY, Duration.ofMillis(50));
        QueueEntry second = taken(KEY, LONG);
        QueueEntry elsewhere = taken(LockKey.of("other"), LONG);
        time.pass(Duration.ofMillis(50));
        long failedAt = time.nanos();
        store.reachable(false);

        assertThat(untilNext()).isBetween(Duration.ofMillis(75), Duration.ofMillis(100));

        for (QueueEntry entry : List.of(first, second)) {
            assertThat(isCalled(entry)).isFalse();
            assertThat(entry.failing().since()).isEqualTo(failedAt);
        }
        assertThat(elsewhere.failing()).isNull();
        assertThat(elsewhere.hasMetFailure()).isFalse();
        store.reachable(true);
        time.pass(Duration.ofMillis(100));
        keeper.tick();
        assertThat(first.failing()).isNull();
        assertThat(first.hasMetFailure()).isTrue();
    }

    @Test
    void store_that_goes_on_failing_is_asked_ever_more_rarely_for_all_queues_together() {
        listening();
        for (int i = 0; i < 100; i++) {
            taken(LockKey.of("order:" + i), LONG);
            time.pass(Duration.ofMillis(5));
        }
        store.reachable(false);
        for (int i = 0; i < 300; i++) {
            time.pass(Duration.ofMillis(10));
            keeper.tick();
        }
        int before = store.polls.size();

        for (int i = 0; i < 1000; i++) {
            time.pass(Duration.ofMillis(10));
            keeper.tick();
        }

        assertThat(store.polls.size() - before).isBetween(10, 14);
        assertThat(store.polls.get(before)).hasSize(100);
    }

    @Test
    void broken_lock_is_told_to_its_own_waiters_only() {
        LockKey broken = LockKey.of("broken");
        EntryKeeper partlyKept = partly((requests, request) -> request.key().equals(broken)
                ? new EntryReply.Failed("WRONGTYPE")
                : new EntryReply.Kept(List.of(), 0, LONG));
        QueueEntry whole = partlyKept.open(KEY, new OwnerId(CLIENT, 1));
        QueueEntry failed = partlyKept.open(broken, new OwnerId(CLIENT, 2));
        partlyKept.taken(whole, time.nanos(), heldFor(LONG));
        partlyKept.taken(failed, time.nanos(), heldFor(LONG));
        time.pass(Duration.ofMillis(500));

        partlyKept.tick();

        assertThat(failed.failing().failure()).hasMessage("WRONGTYPE");
        assertThat(whole.failing()).isNull();
    }

    @Test
    void closing_wakes_all_who_wait() {
        QueueEntry waiting = taken(KEY, LONG);
        QueueEntry asking = open(KEY);

        keeper.close();

        assertThatThrownBy(() -> isCalled(waiting)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> isCalled(asking)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> open(KEY)).isInstanceOf(IllegalStateException.class);
        assertThat(store.closed).isOne();
    }

    @Test
    void closed_keeper_takes_no_entries() {
        QueueEntry entry = open(KEY);
        keeper.close();

        keeper.taken(entry, time.nanos(), heldFor(Duration.ZERO));
        time.pass(Duration.ofSeconds(1));
        keeper.tick();

        assertThat(store.polls).isEmpty();
        assertThat(store.listened).isZero();
    }

    @Test
    void nobody_listens_before_the_first_entry_is_taken() {
        keeper.giveUp(open(KEY));
        keeper.tick();
        assertThat(store.listened).isZero();

        taken(KEY, LONG);
        assertThat(store.listened).isOne();
    }

    @Test
    void one_subscription_serves_all_locks() {
        for (int i = 0; i < 100; i++) {
            keeper.giveUp(taken(LockKey.of("lock:" + i), LONG));
        }
        assertThat(store.listened).isOne();
    }

    @Test
    void cohort_is_told_who_waits_at_the_store_until_it_is_dismissed() {
        Cohort cohort = Cohorts.of(new OwnerId(CLIENT, 7), 1, 100_000, Waiters.NONE, time);
        time.pass(Duration.ofMillis(1));
        keeper.attend(cohort);
        assertThat(store.listened).isOne();
        assertThat(Cohorts.next(cohort)).isPositive();

        keeper.dismiss(cohort);
        keeper.awaited(7, Waiters.FAIR);
        time.pass(Duration.ofMillis(1));
        assertThat(Cohorts.next(cohort)).isPositive();
        time.pass(Duration.ofMillis(1));

        keeper.attend(cohort);
        keeper.awaited(7, Waiters.FAIR);
        assertThat(Cohorts.next(cohort)).isZero();
    }

    @Test
    void hint_that_comes_before_the_cohort_is_known_is_not_forgotten() {
        QueueEntry entry = open(KEY);
        keeper.awaited(entry.owner.sequence(), Waiters.FAIR);
        Cohort cohort = Cohorts.of(entry.owner, 1, 100_000, Waiters.NONE, time);
        time.pass(Duration.ofMillis(1));

        keeper.attend(cohort);

        assertThat(Cohorts.next(cohort)).isZero();
    }

    @Test
    void keeper_asks_in_time_by_itself() {
        Store realTime = new Store(new InMemoryLockStore());
        try (EntryKeeper alone = new EntryKeeper(realTime, CLIENT, Ticker.SYSTEM, true, sequence -> {})) {
            QueueEntry entry = alone.open(KEY, new OwnerId(CLIENT, 1));
            alone.taken(entry, System.nanoTime(), heldFor(Duration.ofMillis(20)));

            Awaitility.await().until(() -> realTime.polls.size() >= 3 && isCalled(entry));
        }
    }

    private static AcquireReply.Held heldFor(Duration blockedFor) {
        return new AcquireReply.Held(Optional.empty(), 0, blockedFor, 1, false);
    }

    @Test
    void hold_that_the_store_may_have_taken_away_is_told_and_not_handed_off_any_more() {
        Cohort cohort = Cohorts.of(new OwnerId(CLIENT, 7), 1, 100_000, Waiters.NONE, time);
        keeper.attend(cohort);
        time.pass(Duration.ofMillis(1));
        assertThat(Cohorts.next(cohort)).isPositive();

        keeper.revoked(8);
        time.pass(Duration.ofMillis(1));
        assertThat(Cohorts.next(cohort)).isPositive();
        keeper.revoked(7);
        time.pass(Duration.ofMillis(1));

        assertThat(revoked).containsExactly(8L, 7L);
        assertThat(Cohorts.next(cohort)).isZero();
    }

    @Test
    void cohort_that_was_dismissed_hears_nothing_more() {
        Cohort cohort = Cohorts.of(new OwnerId(CLIENT, 7), 1, 100_000, Waiters.NONE, time);
        keeper.attend(cohort);
        keeper.dismiss(cohort);
        time.pass(Duration.ofMillis(1));

        keeper.revoked(7);

        assertThat(Cohorts.next(cohort)).isPositive();
    }

    @Test
    void waiters_that_heard_of_their_lock_are_counted() {
        QueueEntry entry = open(KEY);

        keeper.granted(entry.owner.sequence(), RESERVATION);
        keeper.granted(entry.owner.sequence() + 1, RESERVATION);

        assertThat(keeper.wakeups()).isEqualTo(1);
    }

    /** What the call under way has found may be from before the subscription. */
    @Test
    void row_that_is_asked_for_while_messages_begin_to_arrive_is_asked_for_once_more() {
        store.connects = false;
        held(KEY, LONG);
        QueueEntry entry = entryAtStore(KEY);
        time.pass(Duration.ofMillis(100));
        store.after = () -> {
            store.after = () -> {};
            keeper.connected();
        };

        keeper.tick();
        keeper.tick();

        assertThat(store.polls).hasSize(2);
        assertThat(untilNext()).isGreaterThan(Duration.ofMillis(400));
        keeper.giveUp(entry);
    }

    @Test
    void entry_whose_reply_is_older_than_the_subscription_is_asked_for_at_once() {
        listening();
        long askedAt = time.nanos();
        time.pass(Duration.ofNanos(1));
        keeper.disconnected();
        keeper.connected();
        store.polls.clear();

        keeper.taken(open(KEY), askedAt, heldFor(LONG));
        keeper.tick();

        assertThat(store.polls).hasSize(1);
    }

    private Duration intervalAfter(Duration blockedFor) {
        QueueEntry entry = taken(KEY, blockedFor);
        Duration interval = untilNext();
        keeper.giveUp(entry);
        return interval;
    }

    private Duration untilNext() {
        return Duration.ofNanos(keeper.tick() - time.nanos());
    }

    /** The first entry of all is asked for as soon as its client hears; later ones in their time. */
    private void listening() {
        keeper.giveUp(taken(LockKey.of("first"), LONG));
    }

    private QueueEntry open(LockKey key) {
        return keeper.open(key, new OwnerId(CLIENT, ++lastSequence));
    }

    private QueueEntry taken(LockKey key, Duration blockedFor) {
        QueueEntry entry = open(key);
        keeper.taken(entry, time.nanos(), heldFor(blockedFor));
        return entry;
    }

    private OwnerId held(LockKey key, Duration lease) {
        OwnerId holder = new OwnerId("other", ++lastSequence);
        store.acquire(Requests.exclusive(key, holder, lease.toMillis(), HERE, false));
        return holder;
    }

    private QueueEntry entryAtStore(LockKey key) {
        QueueEntry entry = open(key);
        var held = (AcquireReply.Held) store.acquire(Requests.exclusive(key, entry.owner, LONG.toMillis(), HERE, true));
        keeper.taken(entry, time.nanos(), held);
        return entry;
    }

    /** Whether a waiter would not wait. */
    private static boolean isCalled(QueueEntry entry) {
        return entry.look(Budget.of(() -> 0, TimeUnit.SECONDS.toNanos(1))) == 0;
    }

    /** Without room on its disk, for example. */
    @Test
    void failed_poll_that_cannot_be_logged_is_repeated_all_the_same() {
        taken(KEY, LONG);
        time.pass(Duration.ofMillis(500));
        store.reachable(false);

        withoutLog(() -> assertThatIllegalStateException().isThrownBy(keeper::tick));

        assertThat(untilNext()).isLessThanOrEqualTo(Duration.ofMillis(100));
    }

    @Test
    void keeper_whose_error_cannot_be_logged_goes_on() {
        AtomicInteger failures = new AtomicInteger(1);
        store.before = () -> {
            boolean isPoll = Thread.currentThread().getName().equals("holdfast-queue");
            if (isPoll && failures.getAndDecrement() > 0) {
                throw new OutOfMemoryError("on purpose");
            }
        };
        try (EntryKeeper real = new EntryKeeper(store, "another", time, true, sequence -> {})) {
            QueueEntry entry = real.open(KEY, new OwnerId("another", 1));
            withoutLog(() -> {
                real.taken(entry, time.nanos(), heldFor(LONG));
                Awaitility.await().until(() -> {
                    time.pass(Duration.ofMillis(200));
                    return failures.get() < 0;
                });
            });
        }
    }

    private static void withoutLog(Runnable action) {
        Logger log = (Logger) LoggerFactory.getLogger("io.holdfast.lock");
        Appender<ILoggingEvent> full = mock();
        doThrow(new IllegalStateException("No space left on device")).when(full).doAppend(any());
        log.addAppender(full);
        log.setLevel(Level.DEBUG);
        try {
            action.run();
        } finally {
            log.setLevel(null);
            log.detachAppender(full);
        }
    }

    /** Else its flag would end every pause at once: a core at work for nothing, as long as the client lives. */
    @Test
    void keeper_that_somebody_interrupts_sleeps_again() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        try (EntryKeeper real = new EntryKeeper(store, "another", time, true, sequence -> {})) {
            QueueEntry entry = real.open(KEY, new OwnerId("another", 1));
            real.taken(entry, time.nanos(), new AcquireReply.Held(Optional.empty(), 0, LONG, 1, false));
            Thread thread = Thread.getAllStackTraces().keySet().stream()
                    .filter(other -> other.getName().equals("holdfast-queue") && !before.contains(other))
                    .findFirst()
                    .orElseThrow();

            thread.interrupt();

            Awaitility.await().until(() -> !thread.isInterrupted() && thread.getState() == Thread.State.TIMED_WAITING);
        }
    }
}
