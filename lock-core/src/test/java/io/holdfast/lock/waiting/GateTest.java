package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.Pause;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.NewThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who is in front of a gate, and what becomes of those in line. */
class GateTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final OwnerId OWNER = new OwnerId("client", 1);
    private static final LockStoreException BROKEN = new LockStoreException("out of order", null, false);

    private final FakeTicker time = new FakeTicker();
    private final SeatKeeper seats = new SeatKeeper(new InMemoryLockStore(time, time), "client", time, false);
    private final Gates gates = new Gates(seats);
    private final Cohort cohort = new Cohort(new Place.Tokens(OWNER, 1, 100_000), Waiters.NONE, true, time);
    private final Seat seat = new Seat(KEY, OWNER);
    private final long deadline = time.nanos() + TimeUnit.SECONDS.toNanos(30);

    @BeforeEach
    void letTheCohortHaveTokens() {
        time.pass(Duration.ofMillis(1));
    }

    @AfterEach
    void clearFlag() {
        Thread.interrupted();
    }

    @Test
    void first_thread_goes_to_the_store_and_the_others_line_up() {
        assertThat(enter().isFront()).isTrue();
        assertThat(enter().isFront()).isFalse();
        assertThat(enter().isFront()).isFalse();
    }

    @Test
    void threads_get_in_front_in_the_order_of_their_coming() {
        List<Turn> turns = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            turns.add(enter());
        }
        for (int i = 0; i < 4; i++) {
            assertThat(turns.get(i).pass(null)).isTrue();
            assertThat(turns.stream().filter(Turn::isFront)).containsExactly(turns.get(i + 1));
        }
        assertThat(turns.get(4).pass(null)).isFalse();
        assertGone();
    }

    @Test
    void who_is_in_line_is_woken_when_the_front_waits_with_a_seat_that_knows_of_a_failure_already() {
        Turn front = enter();
        AtomicReference<Thread> parked = new AtomicReference<>();
        CompletableFuture<Void> failed = NewThread.start(() -> {
            Turn behind = enter();
            parked.set(Thread.currentThread());
            assertThatThrownBy(() -> Parked.await(behind, Budget.unlimited(time), Pause.PARK, true))
                    .isInstanceOf(LockStoreException.class);
            return null;
        });
        Awaitility.await()
                .until(() -> parked.get() != null
                        && (parked.get().getState() == Thread.State.TIMED_WAITING || failed.isDone()));
        seat.failing(new Failing(time.nanos(), BROKEN));

        front.waitsWith(seat);

        failed.orTimeout(1, TimeUnit.MINUTES).join();
    }

    @Test
    void gates_of_different_locks_have_nothing_to_do_with_each_other() {
        enter();
        assertThat(gates.enter(LockKey.of("other"), "terms", Waiter.currentThread())
                        .isFront())
                .isTrue();
        assertThat(gates.size()).isEqualTo(2);
    }

    @Test
    void seat_of_the_front_is_inherited_by_the_next_once() {
        Turn front = enter();
        Turn next = enter();
        Turn last = enter();
        assertThat(front.inheritSeat()).isNull();

        assertThat(front.pass(seat)).isTrue();

        assertThat(next.inheritSeat()).isSameAs(seat);
        assertThat(next.inheritSeat()).isNull();
        next.pass(null);
        assertThat(last.inheritSeat()).isNull();
    }

    @Test
    void seat_that_nobody_inherits_stays_with_who_has_it() {
        Turn alone = enter();
        assertThat(alone.pass(seat)).isFalse();
        assertThat(enter().inheritSeat()).isNull();
    }

    @Test
    void seat_is_inherited_by_the_front_only() {
        Turn front = enter();
        Turn next = enter();
        Turn last = enter();
        front.pass(seat);

        assertThat(last.inheritSeat()).isNull();
        assertThat(next.isFront()).isTrue();
    }

    @Test
    void turn_that_is_over_lets_nobody_in() {
        Turn front = enter();
        Turn next = enter();
        Turn last = enter();
        front.pass(null);

        assertThat(front.pass(seat)).isFalse();
        front.fail(BROKEN);
        assertThat(front.handOff(cohort, deadline)).isFalse();

        assertThat(next.isFront()).isTrue();
        assertThat(last.isFront()).isFalse();
        assertThat(next.inheritSeat()).isNull();
    }

    @Test
    void turn_in_line_lets_nobody_in() {
        Turn front = enter();
        Turn next = enter();
        Turn last = enter();

        assertThat(next.pass(null)).isFalse();
        assertThat(next.handOff(cohort, deadline)).isFalse();
        next.fail(BROKEN);

        assertThat(front.isFront()).isTrue();
        front.pass(null);
        assertThat(next.isFront()).isTrue();
        assertThat(last.isFront()).isFalse();
    }

    @Test
    void thread_in_line_waits_until_it_is_in_front() throws InterruptedException {
        Turn front = enter();
        Turn next = enter();
        int[] pauses = {0};

        Parked.Outcome outcome = Parked.await(
                next,
                seconds(1),
                nanos -> {
                    if (++pauses[0] == 3) {
                        front.pass(null);
                    }
                },
                true);

        assertThat(outcome).isEqualTo(Parked.Outcome.FRONT);
        assertThat(pauses[0]).isEqualTo(3);
    }

    @Test
    void timeout_in_line_leaves_nothing_behind() throws InterruptedException {
        Turn front = enter();
        Turn next = enter();
        Turn last = enter();

        Parked.Outcome outcome = Parked.await(next, seconds(1), this::pass, true);

        assertThat(outcome).isEqualTo(Parked.Outcome.TIMED_OUT);
        assertThat(front.hasFollowers()).isTrue();
        front.pass(null);
        assertThat(last.isFront()).isTrue();
        last.pass(null);
        assertGone();
    }

    @Test
    void timeout_of_the_only_one_in_line_leaves_the_front_alone() throws InterruptedException {
        Turn front = enter();
        Parked.await(enter(), seconds(1), this::pass, true);

        assertThat(front.hasFollowers()).isFalse();
        assertThat(front.pass(seat)).isFalse();
        assertGone();
    }

    @Test
    void thread_that_gets_in_front_as_its_time_ends_acts_as_the_front() throws InterruptedException {
        Turn front = enter();
        Turn next = enter();
        Turn last = enter();

        Parked.Outcome outcome =
                Parked.await(next, seconds(1), nanos -> promoteLate(nanos, () -> front.pass(seat)), true);

        assertThat(outcome).isEqualTo(Parked.Outcome.FRONT);
        assertThat(next.pass(next.inheritSeat())).isTrue();
        assertThat(last.inheritSeat()).isSameAs(seat);
    }

    @Test
    void thread_that_is_handed_the_lock_as_its_time_ends_has_it() throws InterruptedException {
        Turn front = enter();
        Turn next = enter();

        Parked.Outcome outcome = Parked.await(
                next, seconds(1), nanos -> promoteLate(nanos, () -> front.handOff(cohort, deadline)), true);

        assertThat(outcome).isEqualTo(Parked.Outcome.HANDED_OFF);
        assertThat(next.takeHandOff()).isNotNull();
        next.pass(null);
        assertGone();
    }

    @Test
    void interrupt_in_line_leaves_nothing_behind() {
        Turn front = enter();
        Turn next = enter();
        Turn last = enter();
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> Parked.await(next, seconds(1), Pause.PARK, true))
                .isInstanceOf(InterruptedException.class);

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        front.pass(null);
        assertThat(last.isFront()).isTrue();
        last.pass(null);
        assertGone();
    }

    @Test
    void interrupt_that_comes_after_it_got_in_front_is_kept() throws InterruptedException {
        Turn front = enter();
        Turn next = enter();
        Turn last = enter();

        Parked.Outcome outcome = Parked.await(next, seconds(1), nanos -> interruptLate(() -> front.pass(seat)), true);

        assertThat(outcome).isEqualTo(Parked.Outcome.FRONT);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(next.pass(next.inheritSeat())).isTrue();
        assertThat(last.isFront()).isTrue();
    }

    @Test
    void interrupt_that_comes_after_the_lock_was_handed_off_is_kept() throws InterruptedException {
        Turn front = enter();
        Turn next = enter();

        Parked.Outcome outcome =
                Parked.await(next, seconds(1), nanos -> interruptLate(() -> front.handOff(cohort, deadline)), true);

        assertThat(outcome).isEqualTo(Parked.Outcome.HANDED_OFF);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(next.takeHandOff()).isNotNull();
    }

    @Test
    void interrupt_that_may_not_end_the_wait_is_kept() throws InterruptedException {
        Turn front = enter();
        Turn next = enter();
        Thread.currentThread().interrupt();
        Pause once = nanos -> {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            front.pass(null);
        };

        assertThat(Parked.await(next, seconds(1), once, false)).isEqualTo(Parked.Outcome.FRONT);

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void timeout_of_an_interrupted_thread_keeps_the_interrupt() throws InterruptedException {
        enter();
        Turn next = enter();
        Thread.currentThread().interrupt();
        Pause pause = nanos -> {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            pass(nanos);
        };

        assertThat(Parked.await(next, seconds(1), pause, false)).isEqualTo(Parked.Outcome.TIMED_OUT);

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void lock_is_handed_to_the_next_in_line() throws InterruptedException {
        Turn front = enter();
        Turn next = enter();
        Turn last = enter();

        assertThat(front.handOff(cohort, deadline)).isTrue();

        assertThat(Parked.await(next, seconds(1), this::pass, true)).isEqualTo(Parked.Outcome.HANDED_OFF);
        assertThat(next.takeHandOff()).isEqualTo(new HandOff(cohort, 1001, deadline));
        assertThat(next.takeHandOff()).isNull();
        assertThat(next.isFront()).isFalse();
        assertThat(cohort.lastToken()).isEqualTo(1001);
        time.pass(Duration.ofMillis(1));
        assertThat(next.handOff(cohort, deadline)).isTrue();
        assertThat(Parked.await(last, seconds(1), this::pass, true)).isEqualTo(Parked.Outcome.HANDED_OFF);
        last.pass(null);
        assertGone();
    }

    @Test
    void lock_is_not_handed_to_a_thread_that_wants_other_terms() {
        Turn front = enter("30 s");
        Turn other = enter("10 s");
        Turn equal = enter("30 s");

        assertThat(front.handOff(cohort, deadline)).isFalse();

        assertThat(front.isFront()).isTrue();
        assertThat(cohort.lastToken()).isEqualTo(1);
        front.pass(null);
        assertThat(other.isFront()).isTrue();
        assertThat(equal.isFront()).isFalse();
    }

    @Test
    void lock_is_not_handed_off_when_nobody_is_in_line() {
        Turn alone = enter();
        assertThat(alone.handOff(cohort, deadline)).isFalse();
        assertThat(alone.isFront()).isTrue();
    }

    @Test
    void lock_is_not_handed_off_by_a_cohort_that_is_over() {
        Turn front = enter();
        Turn next = enter();
        time.pass(Duration.ofMillis(100));

        assertThat(front.handOff(cohort, deadline)).isFalse();

        assertThat(front.isFront()).isTrue();
        front.pass(null);
        assertThat(next.isFront()).isTrue();
        assertThat(next.takeHandOff()).isNull();
    }

    @Test
    void lock_is_not_handed_to_a_thread_that_gave_up() throws InterruptedException {
        Turn front = enter();
        Turn gone = enter();
        Turn next = enter();
        Parked.await(gone, Budget.of(time, 0), this::pass, true);

        assertThat(front.handOff(cohort, deadline)).isTrue();

        assertThat(gone.takeHandOff()).isNull();
        assertThat(next.takeHandOff()).isNotNull();
    }

    @Test
    void failure_of_the_front_reaches_all_in_line() {
        Turn front = enter();
        Turn next = enter();
        Turn last = enter();

        front.fail(BROKEN);

        for (Turn turn : List.of(next, last)) {
            assertThatThrownBy(() -> Parked.await(turn, seconds(1), this::pass, true))
                    .isInstanceOfSatisfying(
                            LockStoreException.class,
                            e -> assertThat(e.outcomeUnknown()).isFalse())
                    .hasMessageContaining("out of order")
                    .hasCause(BROKEN);
        }
        assertGone();
    }

    @Test
    void thread_that_comes_after_a_failure_tries_for_itself() {
        Turn front = enter();
        Turn failed = enter();
        front.fail(BROKEN);

        Turn next = enter();

        assertThat(next.isFront()).isTrue();
        assertThat(failed.pass(null)).isFalse();
        assertThat(front.pass(null)).isFalse();
        assertThat(next.isFront()).isTrue();
    }

    @Test
    void interrupt_that_meets_a_failure_is_kept() {
        Turn front = enter();
        Turn next = enter();

        assertThatThrownBy(() -> Parked.await(next, seconds(1), nanos -> interruptLate(() -> front.fail(BROKEN)), true))
                .isInstanceOf(LockStoreException.class);

        assertThat(Thread.interrupted()).isTrue();
        assertGone();
    }

    @Test
    void try_without_waiting_enters_only_where_nobody_is() {
        Turn front = gates.tryEnter(KEY, "terms");
        assertThat(front).isNotNull();
        assertThat(front.isFront()).isTrue();

        assertThat(gates.tryEnter(KEY, "terms")).isNull();

        assertThat(front.hasFollowers()).isFalse();
        front.pass(null);
        assertGone();
        assertThat(gates.tryEnter(KEY, "terms")).isNotNull();
    }

    @Test
    void nobody_enters_a_retired_gate() {
        Gate gate = new Gate(gates, KEY);
        Turn last = gate.enter("terms", false, Waiter.currentThread());
        assertThat(last).isNotNull();
        last.pass(null);

        assertThat(gate.enter("terms", false, Waiter.currentThread())).isNull();
        assertThat(gate.enter("terms", true, Waiter.currentThread())).isNull();
    }

    @Test
    void last_thread_of_a_retired_gate_does_not_disturb_the_new_one() {
        Turn former = enter();
        former.pass(null);
        Turn front = enter();
        Turn next = enter();

        assertThat(former.pass(seat)).isFalse();
        former.fail(BROKEN);

        assertThat(front.isFront()).isTrue();
        assertThat(next.isFront()).isFalse();
        assertThat(gates.size()).isOne();
        assertThat(front.inheritSeat()).isNull();
    }

    @Test
    void closing_ends_the_wait_of_all_in_line() {
        Turn front = enter();
        Turn next = enter();
        Turn last = enter();

        assertThatThrownBy(() -> Parked.await(next, seconds(1), nanos -> gates.close(), true))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Parked.await(last, seconds(1), this::pass, true))
                .isInstanceOf(IllegalStateException.class);

        assertThat(front.hasFollowers()).isFalse();
        front.pass(null);
        assertGone();
    }

    @Test
    void closed_client_lets_nobody_in() {
        Turn front = enter();
        gates.close();

        Turn late = enter();
        assertThatThrownBy(() -> Parked.await(late, seconds(1), this::pass, true))
                .isInstanceOf(IllegalStateException.class);
        front.pass(null);

        assertThatThrownBy(this::enter).isInstanceOf(IllegalStateException.class);
        assertGone();
    }

    private Turn enter() {
        return enter("terms");
    }

    private Turn enter(Object terms) {
        return gates.enter(KEY, terms, Waiter.currentThread());
    }

    private Budget seconds(int seconds) {
        return Budget.of(time, TimeUnit.SECONDS.toNanos(seconds));
    }

    private void pass(long nanos) {
        time.pass(Duration.ofNanos(nanos));
    }

    private void promoteLate(long nanos, Runnable promotion) {
        promotion.run();
        pass(nanos);
    }

    private static void interruptLate(Runnable promotion) throws InterruptedException {
        promotion.run();
        throw new InterruptedException();
    }

    private void assertGone() {
        assertThat(gates.size()).isZero();
    }
}
