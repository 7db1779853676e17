package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.testing.FakeTicker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PollingWaiterTest {

    private static final AcquireReply GRANTED = new AcquireReply.Granted(1);

    private final FakeTicker time = new FakeTicker();
    private final List<Long> pauses = new ArrayList<>();
    private final List<Boolean> asked = new ArrayList<>();
    private final PollingWaiter waiter = new PollingWaiter(nanos -> {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        pauses.add(nanos);
        time.pass(Duration.ofNanos(nanos));
    });

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    private static AcquireReply held(Duration remaining) {
        return new AcquireReply.Held(new LockHolder("c", "h", 1, "t", Instant.EPOCH, remaining, 1));
    }

    private PollingWaiter.Try always(AcquireReply reply) {
        return waiting -> {
            asked.add(waiting);
            return reply;
        };
    }

    private PollingWaiter.Try heldTimes(int times, Duration remaining) {
        return waiting -> {
            asked.add(waiting);
            return asked.size() > times ? GRANTED : held(remaining);
        };
    }

    @Test
    void free_lock_costs_one_try() throws Exception {
        assertThat(waiter.await(always(GRANTED), Budget.of(time, 1_000_000_000), true))
                .isEqualTo(GRANTED);

        assertThat(asked).containsExactly(true);
    }

    @Test
    void budget_of_zero_is_one_try_of_somebody_who_does_not_wait() throws Exception {
        assertThat(waiter.await(always(held(Duration.ofSeconds(9))), Budget.of(time, 0), true))
                .isInstanceOf(AcquireReply.Held.class);

        assertThat(asked).containsExactly(false);
        assertThat(pauses).isEmpty();
    }

    @Test
    void pause_is_a_tenth_of_a_second_at_most_and_jitters_downwards() throws Exception {
        waiter.await(heldTimes(50, Duration.ofSeconds(9)), Budget.unlimited(time), true);

        assertThat(pauses).hasSize(50).allSatisfy(nanos -> assertThat(nanos).isBetween(90_000_000L, 100_000_000L));
        assertThat(pauses.stream().distinct().count()).isGreaterThan(10);
    }

    @Test
    void pause_ends_when_the_holders_lease_would() throws Exception {
        waiter.await(heldTimes(1, Duration.ofMillis(40)), Budget.unlimited(time), true);

        assertThat(pauses).singleElement().satisfies(nanos -> assertThat(nanos).isBetween(36_000_000L, 40_000_000L));
    }

    @Test
    void lock_is_not_asked_for_more_often_than_every_ten_milliseconds() throws Exception {
        waiter.await(heldTimes(3, Duration.ZERO), Budget.unlimited(time), true);

        assertThat(pauses).containsExactly(10_000_000L, 10_000_000L, 10_000_000L);
    }

    @Test
    void budget_is_spent_to_its_end_and_not_beyond() throws Exception {
        Budget budget = Budget.of(time, Duration.ofSeconds(1).toNanos());

        assertThat(waiter.await(always(held(Duration.ofSeconds(9))), budget, true))
                .isInstanceOf(AcquireReply.Held.class);

        assertThat(budget.spent()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void last_try_is_that_of_somebody_who_does_not_wait() throws Exception {
        waiter.await(always(held(Duration.ofSeconds(9))), Budget.of(time, 150_000_000), true);

        assertThat(asked).endsWith(true, false).containsOnlyOnce(false);
    }

    @Test
    void interrupt_ends_an_interruptible_wait_before_the_first_try() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> waiter.await(always(GRANTED), Budget.unlimited(time), true))
                .isInstanceOf(InterruptedException.class);

        assertThat(asked).isEmpty();
    }

    @Test
    void interrupt_between_two_tries_ends_an_interruptible_wait() {
        PollingWaiter.Try interrupting = waiting -> {
            Thread.currentThread().interrupt();
            return held(Duration.ofSeconds(9));
        };

        assertThatThrownBy(() -> waiter.await(interrupting, Budget.unlimited(time), true))
                .isInstanceOf(InterruptedException.class);
    }

    @Test
    void interrupt_is_kept_by_an_uninterruptible_wait() throws Exception {
        Thread.currentThread().interrupt();

        assertThat(waiter.await(heldTimes(3, Duration.ofSeconds(9)), Budget.unlimited(time), false))
                .isEqualTo(GRANTED);

        assertThat(Thread.interrupted()).isTrue();
    }
}
