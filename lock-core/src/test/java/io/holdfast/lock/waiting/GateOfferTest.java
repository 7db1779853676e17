package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.testing.FakeTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A lock that was held briefly while other clients wait is offered to whoever comes first. */
class GateOfferTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final OwnerId OWNER = new OwnerId("client", 1);

    private final FakeTicker time = new FakeTicker();
    private final SeatKeeper seats = new SeatKeeper(new InMemoryLockStore(time, time), "client", time, false);
    private final Gates gates = new Gates(seats);
    private final Cohort cohort = cohort(Waiters.UNFAIR);
    private final long deadline = time.nanos() + TimeUnit.SECONDS.toNanos(30);

    private Cohort cohort(Waiters waiters) {
        var made = new Cohort(new Cohort.Block(OWNER, 1, 100_000), waiters, true, time);
        time.pass(Duration.ofMillis(1));
        return made;
    }

    @AfterEach
    void clearFlag() {
        Thread.interrupted();
    }

    private Turn enter() {
        return gates.enter(KEY, "terms");
    }

    private Budget second() {
        return Budget.of(time, TimeUnit.SECONDS.toNanos(1));
    }

    private void pass(long nanos) {
        time.pass(Duration.ofNanos(nanos));
    }

    @Test
    void offered_lock_goes_to_a_thread_that_comes_before_the_head_has_woken() {
        Turn front = enter();
        Turn head = enter();

        assertThat(front.handOff(cohort, deadline, true)).isTrue();
        Turn newcomer = enter();

        assertThat(newcomer.isWaiting()).isFalse();
        assertThat(newcomer.takeHandOff()).isEqualTo(new HandOff(cohort, 1001, deadline));
        assertThat(head.isWaiting()).isTrue();
    }

    @Test
    void offered_lock_goes_to_the_head_if_nobody_comes() throws InterruptedException {
        Turn front = enter();
        Turn head = enter();

        front.handOff(cohort, deadline, true);

        assertThat(head.await(second(), this::pass, true)).isEqualTo(Turn.Outcome.HANDED_OFF);
        assertThat(head.takeHandOff()).isNotNull();
    }

    @Test
    void offered_lock_is_not_for_those_who_want_other_terms() {
        Turn front = enter();
        enter();

        front.handOff(cohort, deadline, true);

        assertThat(gates.enter(KEY, "other terms").isWaiting()).isTrue();
        assertThat(gates.tryEnter(KEY, "other terms")).isNull();
    }

    @Test
    void offered_lock_is_not_for_those_behind_the_head() throws InterruptedException {
        Turn front = enter();
        Turn head = enter();
        Turn second = enter();

        front.handOff(cohort, deadline, true);

        assertThat(second.await(Budget.of(time, 0), this::pass, true)).isEqualTo(Turn.Outcome.TIMED_OUT);
        assertThat(head.await(second(), this::pass, true)).isEqualTo(Turn.Outcome.HANDED_OFF);
    }

    @Test
    void turn_that_has_offered_the_lock_is_over() throws InterruptedException {
        Turn front = enter();
        Turn head = enter();
        front.handOff(cohort, deadline, true);

        assertThat(front.pass(null)).isFalse();

        assertThat(head.isWaiting()).isTrue();
        assertThat(head.await(second(), this::pass, true)).isEqualTo(Turn.Outcome.HANDED_OFF);
    }

    @Test
    void head_that_runs_out_of_time_takes_what_is_offered_to_it() throws InterruptedException {
        Turn front = enter();
        Turn head = enter();
        front.handOff(cohort, deadline, true);

        assertThat(head.await(Budget.of(time, 0), this::pass, true)).isEqualTo(Turn.Outcome.HANDED_OFF);
    }

    @Test
    void head_that_is_interrupted_takes_what_was_offered_meanwhile_and_keeps_the_interrupt() throws Exception {
        Turn front = enter();
        Turn head = enter();

        Turn.Outcome outcome = head.await(
                second(),
                nanos -> {
                    front.handOff(cohort, deadline, true);
                    throw new InterruptedException();
                },
                true);

        assertThat(outcome).isEqualTo(Turn.Outcome.HANDED_OFF);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void head_that_found_the_lock_taken_is_told_of_the_next_offer() throws InterruptedException {
        Turn front = enter();
        Turn head = enter();
        front.handOff(cohort, deadline, true);
        Turn barging = enter();
        AtomicInteger pauses = new AtomicInteger();

        Turn.Outcome outcome = head.await(
                second(),
                nanos -> {
                    pauses.incrementAndGet();
                    time.pass(Duration.ofNanos(10_000));
                    if (!barging.isWaiting() && pauses.get() == 1) {
                        barging.handOff(cohort, deadline, true);
                    }
                },
                true);

        assertThat(outcome).isEqualTo(Turn.Outcome.HANDED_OFF);
        assertThat(pauses).hasValue(1);
    }

    /** It is told again once it has looked, and by then the lock was gone. */
    @Test
    void head_is_woken_once_by_all_offers_until_it_looks() throws Exception {
        Turn front = enter();
        Sleeper sleeper = new Sleeper();
        sleeper.start();
        sleeper.awaitParked(1);

        offer(front);
        Turn barging = enter();
        offer(barging);
        Turn last = enter();
        assertThat(last.isWaiting()).isFalse();
        sleeper.mayLook = true;
        sleeper.awaitParked(2);

        assertThat(sleeper.wakeUps).hasValue(1);
        offer(last);
        sleeper.join(TimeUnit.MINUTES.toMillis(1));
        assertThat(sleeper.outcome).isEqualTo(Turn.Outcome.HANDED_OFF);
        assertThat(sleeper.wakeUps).hasValue(2);
    }

    private void offer(Turn turn) {
        pass(10_000);
        assertThat(turn.handOff(cohort, deadline, true)).isTrue();
    }

    /** Stands in line; when it is woken for the first time, it takes a while to look. */
    private final class Sleeper extends Thread {
        final AtomicInteger parks = new AtomicInteger();
        final AtomicInteger wakeUps = new AtomicInteger();
        volatile boolean mayLook;
        volatile Turn.Outcome outcome;

        @Override
        public void run() {
            Budget patience = Budget.of(System::nanoTime, TimeUnit.MINUTES.toNanos(2));
            try {
                outcome = enter().await(patience, this::parkOnce, true);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        /** It takes its while without parking, so that it keeps what wakes it meanwhile. */
        private void parkOnce(long nanos) throws InterruptedException {
            parks.incrementAndGet();
            LockSupport.park(this);
            wakeUps.incrementAndGet();
            while (!mayLook) {
                Thread.sleep(1);
            }
        }

        /** A thread that has been woken meanwhile does not park at all. */
        void awaitParked(int times) {
            Awaitility.await()
                    .until(() -> parks.get() >= times
                            && LockSupport.getBlocker(this) == this
                            && getState() == Thread.State.WAITING);
        }
    }

    @Test
    void lock_is_handed_to_the_head_while_nobody_waits_elsewhere() {
        Turn front = enter();
        Turn head = enter();

        front.handOff(cohort(Waiters.NONE), deadline, true);

        assertThat(head.isWaiting()).isFalse();
    }

    @Test
    void lock_that_was_held_for_long_is_handed_to_the_head() {
        Turn front = enter();
        Turn head = enter();

        front.handOff(cohort, deadline, false);

        assertThat(head.isWaiting()).isFalse();
    }

    /** Real threads: one at a time is in front, and all come through, whatever is offered, handed off or passed. */
    @Test
    void nobody_is_forgotten_and_nobody_comes_in_twice() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        Set<Integer> through = ConcurrentHashMap.newKeySet();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 6; t++) {
            int number = t;
            threads.add(new Thread(() -> {
                for (int i = 0; i < 3_000; i++) {
                    comeThrough(inside, (number + i) % 3 == 0);
                }
                through.add(number);
            }));
        }
        threads.forEach(Thread::start);
        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .until(() -> threads.stream().noneMatch(Thread::isAlive));

        assertThat(through).hasSize(6);
        assertThat(gates.size()).isZero();
    }

    private void comeThrough(AtomicInteger inside, boolean brief) {
        Turn turn = enter();
        try {
            if (turn.isWaiting()) {
                turn.await(
                        Budget.of(System::nanoTime, TimeUnit.MINUTES.toNanos(1)),
                        nanos -> LockSupport.parkNanos(this, nanos),
                        false);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(inside.incrementAndGet()).isEqualTo(1);
        Cohort own = new Cohort(
                new Cohort.Block(OWNER, 1, 100_000), brief ? Waiters.UNFAIR : Waiters.NONE, true, System::nanoTime);
        LockSupport.parkNanos(1_000);
        assertThat(inside.decrementAndGet()).isZero();
        if (!turn.handOff(own, Long.MAX_VALUE, brief)) {
            turn.pass(null);
        }
    }
}
