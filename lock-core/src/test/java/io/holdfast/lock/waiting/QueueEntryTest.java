package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.threads.Pause;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How one thread waits on its entry. */
@Timeout(60)
class QueueEntryTest {

    private static final int ROUNDS = 20_000;
    private static final Pause NEVER = nanos -> {
        throw new AssertionError("waits although it was called");
    };

    private final FakeTicker time = new FakeTicker();
    private final QueueEntry entry = new QueueEntry(LockKey.of("order:42"), new OwnerId("client", 1));
    private int pauses;
    private volatile boolean asked;

    @AfterEach
    void clearFlag() {
        Thread.interrupted();
    }

    @Test
    void call_between_the_question_and_the_wait_is_not_lost() throws InterruptedException {
        entry.rearm();
        entry.call();

        Parked.await(entry, seconds(5), NEVER, true);
    }

    @Test
    void call_between_the_last_look_and_the_pause_is_not_lost() throws InterruptedException {
        LockSupport.parkNanos(1); // takes a permit that another test may have left behind
        int[] looks = {0};
        Budget budget = Budget.of(
                () -> {
                    if (++looks[0] == 2) {
                        entry.call();
                    }
                    return System.nanoTime();
                },
                TimeUnit.SECONDS.toNanos(50));
        entry.rearm();

        Parked.await(entry, budget, Pause.PARK, true);

        assertThat(looks[0]).isGreaterThan(1);
        assertThat(budget.remainingNanos()).isPositive();
    }

    @Test
    void call_of_the_time_before_the_question_is_forgotten() throws InterruptedException {
        entry.call();
        entry.rearm();

        Parked.await(entry, seconds(1), steps(Duration.ofMillis(100)), true);

        assertThat(pauses).isEqualTo(10);
    }

    @Test
    void call_during_the_wait_ends_it() throws InterruptedException {
        entry.rearm();
        Parked.await(
                entry,
                seconds(5),
                nanos -> {
                    pauses++;
                    if (pauses == 3) {
                        entry.call();
                    }
                },
                true);
        assertThat(pauses).isEqualTo(3);
    }

    @Test
    void wait_ends_with_its_budget() throws InterruptedException {
        Budget budget = seconds(1);
        entry.rearm();

        Parked.await(entry, budget, nanos -> time.pass(Duration.ofNanos(nanos)), true);

        assertThat(budget.remainingNanos()).isZero();
        assertThat(budget.spent()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void pause_without_a_reason_to_end_does_not_end_the_wait() throws InterruptedException {
        entry.rearm();
        Parked.await(entry, seconds(1), steps(Duration.ofMillis(1)), true);
        assertThat(pauses).isEqualTo(1000);
    }

    @Test
    void spent_budget_does_not_wait_at_all() throws InterruptedException {
        entry.rearm();
        Parked.await(entry, Budget.of(time, 0), NEVER, true);
    }

    @Test
    void interrupt_ends_a_wait_that_it_may_end() {
        entry.rearm();
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> Parked.await(entry, seconds(5), Pause.PARK, true))
                .isInstanceOf(InterruptedException.class);

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void interrupt_is_kept_by_a_wait_that_it_may_not_end() throws InterruptedException {
        entry.rearm();
        Thread.currentThread().interrupt();
        Pause interruptedThenCalled = nanos -> {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            pauses++;
            entry.call();
        };

        Parked.await(entry, seconds(5), interruptedThenCalled, false);

        assertThat(pauses).isOne();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void closed_client_is_told_to_the_waiter() {
        entry.rearm();
        assertThatThrownBy(() -> Parked.await(entry, seconds(5), nanos -> entry.close(), true))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void closed_client_is_told_to_whoever_waits_next() {
        entry.close();
        assertThatThrownBy(() -> Parked.await(entry, seconds(5), NEVER, true))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closed_client_is_told_to_a_waiter_that_was_about_to_ask() {
        entry.close();
        entry.rearm();
        assertThatThrownBy(() -> Parked.await(entry, seconds(5), NEVER, true))
                .isInstanceOf(IllegalStateException.class);
    }

    /** Whoever calls sees the waiter, or the waiter sees the call: else a round would last for its whole budget. */
    @Test
    void no_call_is_lost_however_it_meets_the_wait() throws InterruptedException {
        Thread caller = new Thread(() -> {
            for (int i = 0; i < ROUNDS; i++) {
                while (!asked) {
                    Thread.onSpinWait();
                }
                asked = false;
                entry.call();
            }
        });
        caller.start();
        for (int i = 0; i < ROUNDS; i++) {
            entry.rearm();
            asked = true;
            Parked.await(entry, Budget.of(System::nanoTime, TimeUnit.SECONDS.toNanos(50)), Pause.PARK, true);
        }
        caller.join();
    }

    private Budget seconds(int seconds) {
        return Budget.of(time, TimeUnit.SECONDS.toNanos(seconds));
    }

    private Pause steps(Duration step) {
        return nanos -> {
            pauses++;
            time.pass(step);
        };
    }
}
