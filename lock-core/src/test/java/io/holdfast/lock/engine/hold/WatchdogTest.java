package io.holdfast.lock.engine.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.testing.ManualThreads;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One watchdog and its holds. */
class WatchdogTest extends WatchdogFixture {

    @Test
    void lease_is_renewed_every_third_of_it() {
        Hold hold = acquired(KEY, LEASE, true);

        for (int minute = 0; minute < 10; minute++) {
            pass(Duration.ofMinutes(1));
        }

        assertThat(store.renewals).hasSizeBetween(55, 60);
        assertThat(hold.isLive()).isTrue();
        assertThat(heldInStore(KEY)).isTrue();
        assertThat(events.lost).isEmpty();
    }

    /** Most locks that were granted by a message are given back before that: they cost no renewal. */
    @ParameterizedTest(name = "{0} s after the start")
    @ValueSource(ints = {0, 60})
    void grant_that_is_shorter_than_its_lease_is_confirmed_after_20_ms(int start) {
        time.pass(Duration.ofSeconds(start)); // the ticker wraps within the first second
        Hold hold = acquired(KEY, LEASE, Duration.ofMillis(1500));

        passAtOnce(Duration.ofMillis(20).minusNanos(1));
        assertThat(store.renewals).isEmpty();

        passAtOnce(Duration.ofNanos(1));
        assertThat(store.renewals).hasSize(1);
        assertThat(hold.remaining()).isEqualTo(LEASE);
    }

    @Test
    void grant_of_which_little_is_left_is_confirmed_after_a_third_of_that() {
        acquired(KEY, LEASE, Duration.ofMillis(30));

        passAtOnce(Duration.ofMillis(10).minusNanos(1));
        assertThat(store.renewals).isEmpty();

        passAtOnce(Duration.ofNanos(1));
        assertThat(store.renewals).hasSize(1);
    }

    @Test
    void each_call_that_renewed_something_is_told_with_how_many_it_renewed() {
        acquired(KEY, LEASE, true);
        acquired(LockKey.of("stock:7"), LEASE, true);

        pass(LEASE.multipliedBy(2));

        assertThat(events.renewed).hasSameSizeAs(store.renewals);
        assertThat(events.renewed.stream().mapToInt(Integer::intValue).sum())
                .isEqualTo(store.renewals.stream().mapToInt(List::size).sum());
    }

    @Test
    void tick_tells_when_it_wants_to_be_called_next() {
        acquired(KEY, LEASE, true);

        passAtOnce(Duration.ofSeconds(1));

        assertThat(watchdog.tick() - time.nanos())
                .isEqualTo(LEASE.dividedBy(3).minusSeconds(1).toNanos());
    }

    @Test
    void lease_that_is_not_to_be_renewed_ends_and_says_so() {
        Hold hold = acquired(KEY, LEASE, false);

        pass(LEASE);

        assertThat(hold.isLive()).isFalse();
        assertThat(events.lost).extracting(LockEvent.Lost::cause).containsExactly(LossCause.TIME_LIMIT_REACHED);
    }

    /** No look is planned any more before its deadline. */
    @Test
    void fixed_lease_that_is_reentered_late_by_a_caller_that_requires_renewal_is_renewed() {
        Hold hold = acquired(KEY, LEASE, false);
        pass(Duration.ofSeconds(21));

        reenter(hold, Duration.ofSeconds(5));
        pass(LEASE);

        assertThat(hold.isLive()).isTrue();
        assertThat(events.lost).isEmpty();
    }

    @Test
    void fixed_lease_that_is_reentered_early_is_renewed_when_it_would_be_looked_at() {
        Hold hold = acquired(KEY, LEASE, false);
        pass(Duration.ofSeconds(5));

        reenter(hold, Duration.ofSeconds(5));
        pass(Duration.ofSeconds(4));
        assertThat(store.renewals).isEmpty();

        pass(Duration.ofSeconds(2));
        assertThat(store.renewals).hasSize(1);
        assertThat(hold.remaining()).isGreaterThan(LEASE.minusSeconds(2));
    }

    private void reenter(Hold hold, Duration lease) {
        Map<LockKey, Hold> held = new HashMap<>(Map.of(hold.key(), hold));
        assertThat(locks.reenter(
                        Holds.of(hold.key(), terms(lease)), new HeldLocks.Caller(held, () -> {}, true, false, false)))
                .isNotNull();
    }

    @Test
    void renewal_ends_with_the_longest_hold_and_the_lease_runs_out() {
        Terms terms = Holds.terms("", LEASE.toNanos(), Duration.ofMinutes(2).toNanos(), Long.MAX_VALUE);
        Hold hold = acquired(KEY, terms, true, null);

        pass(Duration.ofMinutes(2));
        assertThat(hold.isLive()).isTrue();
        pass(LEASE);

        assertThat(hold.isLive()).isFalse();
        assertThat(events.lost).extracting(LockEvent.Lost::cause).containsExactly(LossCause.TIME_LIMIT_REACHED);
        assertThat(heldInStore(KEY)).isFalse();
    }

    @Test
    void failed_renewal_is_tried_again_until_it_succeeds() {
        Hold hold = acquired(KEY, LEASE, true);
        store.reachable(false);
        pass(LEASE.minusSeconds(1));
        assertThat(events.renewalFailed).isNotEmpty();
        assertThat(store.renewals).hasSizeBetween(3, 20);

        store.reachable(true);
        pass(Duration.ofSeconds(1));
        pass(LEASE.minusSeconds(2));

        assertThat(hold.isLive()).isTrue();
        assertThat(events.lost).isEmpty();
    }

    @Test
    void lease_is_lost_at_its_deadline_when_no_renewal_succeeds() {
        Hold hold = acquired(KEY, LEASE, true);
        store.reachable(false);

        pass(LEASE);

        assertThat(hold.isLive()).isFalse();
        assertThat(events.lost).singleElement().satisfies(loss -> {
            assertThat(loss.cause()).isEqualTo(LossCause.EXPIRED);
            assertThat(loss.failure()).hasMessageContaining("cannot be reached");
            assertThat(loss.heldFor()).isBetween(LEASE, LEASE.plusMillis(400));
        });
    }

    @Test
    void loss_is_declared_on_time_while_a_renewal_hangs() throws Exception {
        Hold hold = acquired(KEY, LEASE, true);
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        store.before = () -> {
            hanging.countDown();
            awaitUninterruptibly(answer);
        };
        time.pass(LEASE.dividedBy(3));
        watchdog.tick();
        Thread renewal = new Thread(this::renewDue);
        renewal.start();
        hanging.await();

        time.pass(LEASE);
        watchdog.tick();

        assertThat(events.lost).extracting(LockEvent.Lost::cause).containsExactly(LossCause.EXPIRED);
        answer.countDown();
        renewal.join();
        assertThat(hold.isLive()).isFalse();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void failed_renewal_of_a_lease_that_is_lost_meanwhile_is_not_told() {
        acquired(KEY, LEASE, true);
        store.before = () -> {
            time.pass(LEASE);
            throw StoreSpy.unreachable();
        };
        time.pass(LEASE.dividedBy(3));
        watchdog.tick();

        renewDue();

        assertThat(events.lost)
                .singleElement()
                .satisfies(loss -> assertThat(loss.failure()).isNotNull());
        assertThat(events.renewalFailed).isEmpty();
    }

    @Test
    void error_in_the_store_is_a_failed_renewal_like_others() {
        Hold hold = acquired(KEY, LEASE, true);
        store.beforeNextCallHere(() -> {
            throw new StackOverflowError("on purpose");
        });

        pass(LEASE.multipliedBy(2));

        assertThat(events.renewalFailed).hasSize(1);
        assertThat(hold.isLive()).isTrue();
    }

    @Test
    void lost_lease_stays_lost_when_a_late_renewal_succeeds() {
        Hold hold = acquired(KEY, LEASE, true);
        store.after = () -> time.pass(LEASE);
        time.pass(LEASE.dividedBy(3));
        watchdog.tick();

        renewDue();

        assertThat(hold.isLive()).isFalse();
        assertThat(events.lost).hasSize(1);
    }

    @Test
    void new_deadline_counts_from_before_the_renewal_was_sent() {
        Hold hold = acquired(KEY, LEASE, true);
        time.pass(LEASE.dividedBy(3));
        watchdog.tick();
        store.before = () -> time.pass(Duration.ofSeconds(2));

        renewDue();

        assertThat(hold.remaining()).isEqualTo(LEASE.minusSeconds(2));
    }

    @Test
    void lease_that_somebody_took_away_is_lost_at_the_next_renewal() {
        Hold hold = acquired(KEY, LEASE, true);
        store.forceRelease(KEY);

        pass(LEASE.dividedBy(2));

        assertThat(hold.isLive()).isFalse();
        assertThat(events.lost).extracting(LockEvent.Lost::cause).containsExactly(LossCause.REVOKED);
    }

    @Test
    void closed_lease_is_neither_renewed_nor_reported_nor_kept() {
        Hold hold = acquired(KEY, LEASE, true);
        close(hold);

        assertThat(watched()).isEmpty();
        pass(LEASE.multipliedBy(2));

        assertThat(store.renewals).isEmpty();
        assertThat(events.lost).isEmpty();
    }

    @Test
    void lease_that_is_closed_while_it_is_renewed_is_not_lost() {
        Hold hold = acquired(KEY, LEASE, true);
        time.pass(LEASE.dividedBy(3));
        watchdog.tick();
        store.beforeNextCallHere(() -> {
            close(hold);
            store.release(new ReleaseRequest(KEY, hold.owner()));
        });

        renewDue();
        pass(LEASE.multipliedBy(2));

        assertThat(events.lost).isEmpty();
        assertThat(watched()).isEmpty();
    }

    @Test
    void hold_of_a_dead_thread_is_given_up() throws Exception {
        Thread worker = new Thread(() -> {});
        worker.start();
        worker.join();
        Hold hold = acquired(KEY, terms(LEASE), true, worker);

        pass(LEASE.dividedBy(2));

        assertThat(locks.all()).isEmpty();
        cleaners.run();
        assertThat(heldInStore(KEY)).as("released in the background").isFalse();
        assertThat(events.lost).extracting(LockEvent.Lost::cause).containsExactly(LossCause.THREAD_DIED);
        assertThat(hold.isOpen()).isFalse();
    }

    @Test
    void detached_hold_outlives_its_thread() throws Exception {
        Thread worker = new Thread(() -> {});
        worker.start();
        worker.join();
        Hold hold = acquired(KEY, terms(LEASE), true, worker);
        hold.detach(hold.uses.get(0));

        pass(LEASE.multipliedBy(3));

        assertThat(hold.isLive()).isTrue();
        assertThat(locks.all()).containsExactly(hold);
    }

    @Test
    void long_hold_is_reported_once_and_goes_on() {
        Terms terms = Holds.terms(
                "", LEASE.toNanos(), Terms.UNLIMITED, Duration.ofSeconds(60).toNanos());
        Hold hold = acquired(KEY, terms, true, null);

        pass(Duration.ofSeconds(59));
        assertThat(events.longHeld).isEmpty();
        pass(Duration.ofMinutes(5));

        assertThat(events.longHeld).hasSize(1);
        assertThat(hold.isLive()).isTrue();
    }

    @Test
    void ten_thousand_leases_share_their_renewal_calls() {
        List<Hold> holds = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            holds.add(acquired(LockKey.of("many:" + i), LEASE, true));
            time.pass(Duration.ofMillis(1));
        }
        store.renewals.clear();

        pass(Duration.ofSeconds(100));

        int renewed = store.renewals.stream().mapToInt(List::size).sum();
        assertThat(renewed).isGreaterThan(80_000);
        assertThat(store.renewals.size()).isLessThanOrEqualTo(renewed / 100);
        assertThat(holds).allMatch(Hold::isLive);
    }

    @Test
    void lease_that_cannot_be_renewed_fails_alone() {
        Hold good = acquired(KEY, LEASE, true);
        Hold bad = acquired(LockKey.of("other"), LEASE, true);
        store.forceRelease(bad.key());

        pass(LEASE.multipliedBy(2));

        assertThat(good.isLive()).isTrue();
        assertThat(bad.isLive()).isFalse();
    }

    @Test
    void short_lease_that_joins_long_ones_is_renewed_in_time() {
        acquired(LockKey.of("long"), Duration.ofMinutes(10), true);
        Hold hold = acquired(KEY, Duration.ofMillis(100), true);

        for (int i = 0; i < 10; i++) {
            pass(Duration.ofMillis(100));
        }

        assertThat(hold.isLive()).isTrue();
    }

    @Test
    void closed_watchdog_renews_nothing_any_more() {
        acquired(KEY, LEASE, true);
        time.pass(LEASE.dividedBy(3));
        watchdog.tick();

        watchdog.close();
        renewDue();

        assertThat(store.renewals).isEmpty();
    }

    @Test
    void lease_that_is_not_to_be_renewed_is_looked_at_every_third_of_it_and_never_extended() {
        Hold hold = acquired(KEY, LEASE, false);
        long deadline = hold.deadline();

        pass(LEASE.minusMillis(1));

        assertThat(store.renewals).hasSize(2);
        assertThat(hold.deadline()).isEqualTo(deadline);
        assertThat(events.renewed).isEmpty();
        assertThat(store.inspect(KEY).holder().orElseThrow().remaining()).isEqualTo(Duration.ofMillis(1));
    }

    @Test
    void loss_of_a_lease_that_is_not_to_be_renewed_is_noticed_after_a_third_of_it() {
        acquired(KEY, LEASE, false);
        store.forceRelease(KEY);

        pass(LEASE.dividedBy(3).plusMillis(100));

        assertThat(events.lost).extracting(LockEvent.Lost::cause).containsExactly(LossCause.REVOKED);
    }

    @Test
    void lease_that_is_not_to_be_renewed_and_cannot_be_looked_at_is_no_failed_renewal() {
        Hold hold = acquired(KEY, LEASE, false);
        store.reachable(false);

        pass(LEASE.minusMillis(1));

        assertThat(store.renewals).hasSize(2);
        assertThat(hold.isLive()).isTrue();
        assertThat(events.renewalFailed).isEmpty();
    }

    @Test
    void error_on_the_clock_forgets_no_hold_and_is_no_reason_to_hurry() {
        AtomicInteger failures = new AtomicInteger(3);
        StoreSpy broken = new StoreSpy(store) {
            @Override
            public String serverOf(LockKey key) {
                if (failures.getAndDecrement() > 0) {
                    throw new AssertionError("on purpose");
                }
                return super.serverOf(key);
            }
        };
        ManualThreads threads = new ManualThreads();
        HeldLocks own = locks(broken, threads);
        List<Hold> holds = List.of(unwatched(KEY, LEASE), unwatched(LockKey.of("stock:7"), LEASE));
        holds.forEach(hold -> own.add(hold, new HashMap<>()));

        time.pass(LEASE.dividedBy(3));
        assertThat(own.watchdog.tick() - time.nanos())
                .isEqualTo(Duration.ofMillis(100).toNanos());
        for (int i = 0; i < 10; i++) {
            time.pass(Duration.ofMillis(100));
            own.watchdog.tick();
            threads.run();
        }

        assertThat(failures.get()).isNegative();
        assertThat(holds).allSatisfy(hold -> assertThat(hold.remaining()).isGreaterThan(LEASE.minusSeconds(2)));
    }

    /** Else the clock thread would try again at once, and log as often. */
    @Test
    void hold_that_cannot_be_looked_at_is_looked_at_again_after_100_ms() {
        Terms warned = Holds.terms(
                "", LEASE.toNanos(), Terms.UNLIMITED, Duration.ofSeconds(4).toNanos());
        Hold hold = acquired(KEY, warned, true, null);
        events.onLongHold = () -> {
            throw new AssertionError("on purpose");
        };

        time.pass(Duration.ofSeconds(4));
        watchdog.tick();

        assertThat(hold.lookAt - time.nanos()).isEqualTo(Duration.ofMillis(100).toNanos());
        passAtOnce(Duration.ofSeconds(6));
        assertThat(store.renewals).hasSize(1);
    }

    /** Listeners may take long. */
    @Test
    void renewal_that_failed_is_planned_again_before_listeners_hear_of_those_that_did_not() {
        Hold renewed = unwatched(KEY, LEASE);
        Hold failed = unwatched(LockKey.of("stock:7"), LEASE);
        StoreSpy partly = new StoreSpy(store) {
            @Override
            public List<RenewReply> renew(List<RenewRequest> requests) {
                return requests.stream()
                        .<RenewReply>map(request -> request.key().equals(KEY)
                                ? new RenewReply.Renewed()
                                : new RenewReply.Failed("its server is down"))
                        .toList();
            }
        };
        ManualThreads threads = new ManualThreads();
        HeldLocks own = locks(partly, threads);
        own.add(renewed, new HashMap<>());
        own.add(failed, new HashMap<>());
        List<Boolean> renewing = new ArrayList<>();
        events.onRenewed = () -> renewing.add(failed.renewing);

        time.pass(LEASE.dividedBy(3));
        own.watchdog.tick();
        threads.run();

        assertThat(renewing).containsExactly(false);
        assertThat(events.renewalFailed).hasSize(1);
    }

    @Test
    void error_while_a_loss_is_reported_does_not_end_the_renewal_of_other_locks() {
        List<Hold> holds = List.of(
                acquired(LockKey.of("stock:6"), LEASE, true),
                acquired(KEY, LEASE, true),
                acquired(LockKey.of("stock:7"), LEASE, true),
                acquired(LockKey.of("stock:8"), LEASE, true));
        store.forceRelease(KEY);
        events.onLost = () -> {
            throw new OutOfMemoryError("on purpose");
        };

        passAtOnce(LEASE.dividedBy(3));
        assertThat(events.lost).extracting(LockEvent.Lost::key).containsExactly(KEY);
        passAtOnce(Duration.ofMillis(100));

        assertThat(holds)
                .filteredOn(hold -> !hold.key().equals(KEY))
                .allSatisfy(hold -> assertThat(hold.remaining()).isGreaterThan(LEASE.minusSeconds(1)));
    }

    @Test
    void replies_that_are_missing_are_a_failed_renewal() {
        StoreSpy broken = new StoreSpy(store) {
            private boolean before;

            @Override
            public List<RenewReply> renew(List<RenewRequest> requests) {
                boolean first = !before;
                before = true;
                return first ? List.of() : super.renew(requests);
            }
        };
        ManualThreads threads = new ManualThreads();
        HeldLocks own = locks(broken, threads);
        Hold hold = unwatched(KEY, LEASE);
        own.add(hold, new HashMap<>());

        for (int i = 0; i < 12; i++) {
            time.pass(Duration.ofSeconds(1));
            own.watchdog.tick();
            threads.run();
        }

        assertThat(events.renewalFailed)
                .singleElement()
                .satisfies(
                        event -> assertThat(event.failure()).hasMessage("The store returned 0 replies to 1 renewals"));
        assertThat(hold.remaining()).isGreaterThan(LEASE.minusSeconds(2));
    }
}
