package io.holdfast.lock.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is left of the time that a caller is ready to wait. */
class BudgetTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final FakeTicker time = new FakeTicker();

    private void pass(long nanos) {
        time.pass(Duration.ofNanos(nanos));
    }

    @Test
    void budget_is_spent_when_its_time_has_passed_and_not_before() {
        Budget budget = Budget.of(time, SECOND);
        pass(SECOND - 1);
        assertThat(budget.remainingNanos()).isEqualTo(1);
        assertThat(budget.isLongOver()).isFalse();

        pass(1);
        assertThat(budget.remainingNanos()).isZero();
        assertThat(budget.isLongOver()).isFalse();

        pass(SECOND / 2);
        assertThat(budget.remainingNanos()).isZero();
        assertThat(budget.isLongOver()).isFalse();

        pass(1);
        assertThat(budget.isLongOver()).isTrue();
        assertThat(budget.spent()).isEqualTo(Duration.ofNanos(SECOND + SECOND / 2 + 1));
    }

    @Test
    void budget_of_nothing_is_one_try() {
        assertThat(Budget.of(time, 0).isOneTry()).isTrue();
        assertThat(Budget.of(time, -1).isOneTry()).isTrue();
        assertThat(Budget.of(time, 1).isOneTry()).isFalse();
        assertThat(Budget.of(time, Long.MAX_VALUE).isOneTry()).isFalse();
    }

    @Test
    void unlimited_budget_is_never_spent() {
        Budget budget = Budget.of(time, Long.MAX_VALUE);
        pass(Duration.ofDays(1000).toNanos());

        assertThat(budget.remainingNanos())
                .isGreaterThan(Duration.ofDays(100_000).toNanos());
        assertThat(budget.isLongOver()).isFalse();
        assertThat(budget.spent()).isEqualTo(Duration.ofDays(1000));
    }

    @Test
    void failure_of_the_store_may_take_its_part_of_the_budget_and_no_more() {
        Budget budget = Budget.of(time, 10 * SECOND).tolerating(2 * SECOND);
        pass(SECOND);
        Failing failing = new Failing(time.nanos(), StoreSpy.unreachable());

        assertThat(budget.remainingNanos(null)).isEqualTo(9 * SECOND);
        assertThat(budget.remainingNanos(failing)).isEqualTo(2 * SECOND);
        pass(SECOND);
        assertThat(budget.remainingNanos(failing)).isEqualTo(SECOND);
        pass(2 * SECOND);
        assertThat(budget.remainingNanos(failing)).isZero();
        assertThat(budget.remainingNanos(null)).isEqualTo(6 * SECOND);
    }

    @Test
    void budget_that_tolerates_failures_is_no_new_one() {
        Budget budget = Budget.of(time, SECOND);
        pass(1);

        assertThat(budget.tolerating(7).remainingNanos()).isEqualTo(SECOND - 1);
    }

    @Test
    void failure_of_the_store_takes_no_more_than_the_budget() {
        Budget budget = Budget.of(time, SECOND).tolerating(2 * SECOND);

        assertThat(budget.remainingNanos(new Failing(time.nanos(), StoreSpy.unreachable())))
                .isEqualTo(SECOND);
    }

    @Test
    void failure_is_tolerated_by_a_budget_that_allows_it_and_is_not_spent() {
        Budget budget = Budget.of(time, SECOND);
        assertThat(budget.toleratesOutages()).isFalse();
        assertThat(budget.tolerating(0).toleratesOutages()).isFalse();

        Budget tolerant = budget.tolerating(1);
        assertThat(tolerant.toleratesOutages()).isTrue();
        pass(SECOND);
        assertThat(tolerant.toleratesOutages()).isFalse();
    }
}
