package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.threads.Pause;
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

/** Who is in front of a line, and what becomes of those in line. */
class LineTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final OwnerId OWNER = new OwnerId("client", 1);
    private static final LockStoreException BROKEN = new LockStoreException("out of order", null, false);

    private final FakeTicker time = new FakeTicker();
    private final LocalQueue lines = new LocalQueue(
            new EntryKeeper(new InMemoryLockStore(time, time), "client", time, false, sequence -> {}), () -> 1, time);
    private final Cohort cohort = Cohorts.of(OWNER, 1, 100_000, Waiters.NONE, time);
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
        List<LocalQueue.Place> turns = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            turns.add(enter());
        }
        for (int i = 0; i < 4; i++) {
            assertThat(turns.get(i).leave()).isTrue();
            assertThat(turns.stream().filter(LocalQueue.Place::isFront)).containsExactly(turns.get(i + 1));
        }
        assertThat(turns.get(4).leave()).isFalse();
        assertGone();
    }

    @Test
    void who_is_in_line_is_woken_when_the_entry_of_the_front_learns_of_a_failure() {
        LocalQueue.Place front = enter();
        AtomicReference<Thread> parked = new AtomicReference<>();
        CompletableFuture<Void> failed = NewThread.start(() -> {
            LocalQueue.Place behind = enter();
            parked.set(Thread.currentThread());
            assertThatThrownBy(() -> Parked.await(behind, Budget.of(time, Long.MAX_VALUE), Pause.PARK, true))
                    .isInstanceOf(LockStoreException.class);
            return null;
        });
        Awaitility.await()
                .until(() -> parked.get() != null
                        && (parked.get().getState() == Thread.State.TIMED_WAITING || failed.isDone()));

        front.entry().failing(new Failing(time.nanos(), BROKEN));

        failed.orTimeout(1, TimeUnit.MINUTES).join();
    }

    @Test
    void gates_of_different_locks_have_nothing_to_do_with_each_other() {
        enter();
        assertThat(lines.enter(LockKey.of("other"), "terms", Parked.currentThread())
                        .isFront())
                .isTrue();
        assertThat(lines.lines).hasSize(2);
    }

    @Test
    void entry_of_the_front_is_inherited_by_the_next() {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();
        QueueEntry entry = front.entry();
        assertThat(front.entry()).isSameAs(entry);

        assertThat(front.leave()).isTrue();

        assertThat(next.entry()).isSameAs(entry);
    }

    @Test
    void entry_that_was_given_up_is_not_inherited() {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();
        QueueEntry entry = front.entry();
        lines.entries.giveUp(entry);

        front.leave();

        assertThat(next.entry()).isNotSameAs(entry);
        assertThat(next.entry().failing()).isNull();
    }

    @Test
    void failure_that_an_entry_knew_of_when_it_was_given_up_is_inherited() {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();
        QueueEntry entry = front.entry();
        Failing failing = new Failing(time.nanos(), BROKEN);
        entry.failing(failing);
        lines.entries.giveUp(entry);

        front.leave();

        assertThat(next.entry().failing()).isEqualTo(failing);
        assertThat(next.entry().hasMetFailure()).isTrue();
    }

    @Test
    void holder_of_the_lock_leaves_no_entry() {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();
        QueueEntry entry = front.entry();
        front.granted(Cohorts.grant(OWNER, 1, 1, Waiters.NONE, true));
        entry.failing(new Failing(time.nanos(), BROKEN));

        front.leave();

        assertThat(next.entry()).isNotSameAs(entry);
        assertThat(next.entry().failing()).isNull();
    }

    @Test
    void entry_that_nobody_inherits_stays_with_who_has_it() {
        LocalQueue.Place alone = enter();
        QueueEntry entry = alone.entry();
        assertThat(alone.leave()).isFalse();
        assertThat(enter().entry()).isNotSameAs(entry);
    }

    @Test
    void turn_that_is_over_lets_nobody_in() {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();
        LocalQueue.Place last = enter();
        front.leave();

        assertThat(front.leave()).isFalse();
        front.fail(BROKEN);
        assertThat(front.handOff(cohort, deadline)).isFalse();

        assertThat(next.isFront()).isTrue();
        assertThat(last.isFront()).isFalse();
    }

    @Test
    void turn_in_line_lets_nobody_in() {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();
        LocalQueue.Place last = enter();

        assertThat(next.leave()).isFalse();
        assertThat(next.handOff(cohort, deadline)).isFalse();
        next.fail(BROKEN);

        assertThat(front.isFront()).isTrue();
        front.leave();
        assertThat(next.isFront()).isTrue();
        assertThat(last.isFront()).isFalse();
    }

    @Test
    void thread_in_line_waits_until_it_is_in_front() throws InterruptedException {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();
        int[] pauses = {0};

        Parked.Outcome outcome = Parked.await(
                next,
                seconds(1),
                nanos -> {
                    if (++pauses[0] == 3) {
                        front.leave();
                    }
                },
                true);

        assertThat(outcome).isEqualTo(Parked.Outcome.FRONT);
        assertThat(pauses[0]).isEqualTo(3);
    }

    @Test
    void timeout_in_line_leaves_nothing_behind() throws InterruptedException {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();
        LocalQueue.Place last = enter();

        Parked.Outcome outcome = Parked.await(next, seconds(1), this::pass, true);

        assertThat(outcome).isEqualTo(Parked.Outcome.TIMED_OUT);
        assertThat(front.hasFollowers()).isTrue();
        front.leave();
        assertThat(last.isFront()).isTrue();
        last.leave();
        assertGone();
    }

    @Test
    void timeout_of_the_only_one_in_line_leaves_the_front_alone() throws InterruptedException {
        LocalQueue.Place front = enter();
        Parked.await(enter(), seconds(1), this::pass, true);

        assertThat(front.hasFollowers()).isFalse();
        assertThat(front.leave()).isFalse();
        assertGone();
    }

    @Test
    void thread_that_gets_in_front_as_its_time_ends_acts_as_the_front() throws InterruptedException {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();
        LocalQueue.Place last = enter();

        Parked.Outcome outcome = Parked.await(next, seconds(1), nanos -> promoteLate(nanos, () -> front.leave()), true);

        assertThat(outcome).isEqualTo(Parked.Outcome.FRONT);
        assertThat(next.leave()).isTrue();
        assertThat(last.isFront()).isTrue();
    }

    @Test
    void thread_that_is_handed_the_lock_as_its_time_ends_has_it() throws InterruptedException {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();

        Parked.Outcome outcome = Parked.await(
                next, seconds(1), nanos -> promoteLate(nanos, () -> front.handOff(cohort, deadline)), true);

        assertThat(outcome).isEqualTo(Parked.Outcome.HANDED_OFF);
        assertThat(next.takeHandoff()).isNotNull();
        next.leave();
        assertGone();
    }

    @Test
    void interrupt_in_line_leaves_nothing_behind() {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();
        LocalQueue.Place last = enter();
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> Parked.await(next, seconds(1), Pause.PARK, true))
                .isInstanceOf(InterruptedException.class);

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        front.leave();
        assertThat(last.isFront()).isTrue();
        last.leave();
        assertGone();
    }

    @Test
    void interrupt_that_comes_after_it_got_in_front_is_kept() throws InterruptedException {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();
        LocalQueue.Place last = enter();

        Parked.Outcome outcome = Parked.await(next, seconds(1), nanos -> interruptLate(() -> front.leave()), true);

        assertThat(outcome).isEqualTo(Parked.Outcome.FRONT);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(next.leave()).isTrue();
        assertThat(last.isFront()).isTrue();
    }

    @Test
    void interrupt_that_comes_after_the_lock_was_handed_off_is_kept() throws InterruptedException {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();

        Parked.Outcome outcome =
                Parked.await(next, seconds(1), nanos -> interruptLate(() -> front.handOff(cohort, deadline)), true);

        assertThat(outcome).isEqualTo(Parked.Outcome.HANDED_OFF);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(next.takeHandoff()).isNotNull();
    }

    @Test
    void interrupt_that_may_not_end_the_wait_is_kept() throws InterruptedException {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();
        Thread.currentThread().interrupt();
        Pause once = nanos -> {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            front.leave();
        };

        assertThat(Parked.await(next, seconds(1), once, false)).isEqualTo(Parked.Outcome.FRONT);

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void timeout_of_an_interrupted_thread_keeps_the_interrupt() throws InterruptedException {
        enter();
        LocalQueue.Place next = enter();
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
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();
        LocalQueue.Place last = enter();

        assertThat(front.handOff(cohort, deadline)).isTrue();

        assertThat(Parked.await(next, seconds(1), this::pass, true)).isEqualTo(Parked.Outcome.HANDED_OFF);
        assertThat(next.takeHandoff())
                .isEqualTo(new QueueEntry.Grant(OWNER, 1001, time.nanos(), deadline, 0, Waiters.NONE, false, false));
        assertThat(next.takeHandoff()).isNull();
        assertThat(next.isFront()).isTrue();
        assertThat(cohort.lastFencingToken).isEqualTo(1001);
        time.pass(Duration.ofMillis(1));
        assertThat(next.handOff(cohort, deadline)).isTrue();
        assertThat(Parked.await(last, seconds(1), this::pass, true)).isEqualTo(Parked.Outcome.HANDED_OFF);
        last.leave();
        assertGone();
    }

    @Test
    void lock_is_not_handed_to_a_thread_that_wants_other_terms() {
        LocalQueue.Place front = enter("30 s");
        LocalQueue.Place other = enter("10 s");
        LocalQueue.Place equal = enter("30 s");

        assertThat(front.handOff(cohort, deadline)).isFalse();

        assertThat(front.isFront()).isTrue();
        assertThat(cohort.lastFencingToken).isEqualTo(1);
        front.leave();
        assertThat(other.isFront()).isTrue();
        assertThat(equal.isFront()).isFalse();
    }

    @Test
    void lock_is_not_handed_off_when_nobody_is_in_line() {
        LocalQueue.Place alone = enter();
        assertThat(alone.handOff(cohort, deadline)).isFalse();
        assertThat(alone.isFront()).isTrue();
    }

    @Test
    void lock_is_not_handed_off_by_a_cohort_that_is_over() {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();
        time.pass(Duration.ofMillis(100));

        assertThat(front.handOff(cohort, deadline)).isFalse();

        assertThat(front.isFront()).isTrue();
        front.leave();
        assertThat(next.isFront()).isTrue();
        assertThat(next.takeHandoff()).isNull();
    }

    @Test
    void lock_is_not_handed_to_a_thread_that_gave_up() throws InterruptedException {
        LocalQueue.Place front = enter();
        LocalQueue.Place gone = enter();
        LocalQueue.Place next = enter();
        Parked.await(gone, Budget.of(time, 0), this::pass, true);

        assertThat(front.handOff(cohort, deadline)).isTrue();

        assertThat(gone.takeHandoff()).isNull();
        assertThat(next.takeHandoff()).isNotNull();
    }

    @Test
    void failure_of_the_front_reaches_all_in_line() {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();
        LocalQueue.Place last = enter();

        front.fail(BROKEN);

        for (LocalQueue.Place turn : List.of(next, last)) {
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
        LocalQueue.Place front = enter();
        LocalQueue.Place failed = enter();
        front.fail(BROKEN);

        LocalQueue.Place next = enter();

        assertThat(next.isFront()).isTrue();
        assertThat(failed.leave()).isFalse();
        assertThat(front.leave()).isFalse();
        assertThat(next.isFront()).isTrue();
    }

    @Test
    void interrupt_that_meets_a_failure_is_kept() {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();

        assertThatThrownBy(() -> Parked.await(next, seconds(1), nanos -> interruptLate(() -> front.fail(BROKEN)), true))
                .isInstanceOf(LockStoreException.class);

        assertThat(Thread.interrupted()).isTrue();
        assertGone();
    }

    @Test
    void try_without_waiting_enters_only_where_nobody_is() {
        LocalQueue.Place front = lines.tryEnter(KEY, "terms", () -> {});
        assertThat(front).isNotNull();
        assertThat(front.isFront()).isTrue();

        assertThat(lines.tryEnter(KEY, "terms", () -> {})).isNull();

        assertThat(front.hasFollowers()).isFalse();
        front.leave();
        assertGone();
        assertThat(lines.tryEnter(KEY, "terms", () -> {})).isNotNull();
    }

    @Test
    void nobody_enters_a_retired_line() {
        LocalQueue.Line line = lines.new Line(KEY);
        LocalQueue.Place last = line.enter("terms", false, Parked.currentThread());
        assertThat(last).isNotNull();
        last.leave();

        assertThat(line.enter("terms", false, Parked.currentThread())).isNull();
        assertThat(line.enter("terms", true, Parked.currentThread())).isNull();
    }

    @Test
    void last_thread_of_a_retired_line_does_not_disturb_the_new_one() {
        LocalQueue.Place former = enter();
        former.leave();
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();

        assertThat(former.leave()).isFalse();
        former.fail(BROKEN);

        assertThat(front.isFront()).isTrue();
        assertThat(next.isFront()).isFalse();
        assertThat(lines.lines).hasSize(1);
    }

    @Test
    void closing_ends_the_wait_of_all_in_line() {
        LocalQueue.Place front = enter();
        LocalQueue.Place next = enter();
        LocalQueue.Place last = enter();

        assertThatThrownBy(() -> Parked.await(next, seconds(1), nanos -> lines.close(), true))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Parked.await(last, seconds(1), this::pass, true))
                .isInstanceOf(IllegalStateException.class);

        assertThat(front.hasFollowers()).isFalse();
        front.leave();
        assertGone();
    }

    @Test
    void closed_client_lets_nobody_in() {
        LocalQueue.Place front = enter();
        lines.close();

        LocalQueue.Place late = enter();
        assertThatThrownBy(() -> Parked.await(late, seconds(1), this::pass, true))
                .isInstanceOf(IllegalStateException.class);
        front.leave();

        assertThatThrownBy(this::enter).isInstanceOf(IllegalStateException.class);
        assertGone();
    }

    private LocalQueue.Place enter() {
        return enter("terms");
    }

    private LocalQueue.Place enter(Object terms) {
        return lines.enter(KEY, terms, Parked.currentThread());
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
        assertThat(lines.lines).isEmpty();
    }
}
