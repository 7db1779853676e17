package io.holdfast.lock.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Whole messages, as operators read them. */
class LockExceptionMessagesTest {

    private static final LockKey KEY = LockKey.of("order:42");

    private static LockHolder holder(Duration remaining, boolean kept) {
        return new LockHolder(
                "client", "shop-1", 9382, "exec-2", Instant.EPOCH, remaining, 7, LockMode.EXCLUSIVE, kept);
    }

    @Test
    void wait_that_timed_out_says_for_how_long_and_who_holds_the_lock() {
        LockHolder holder = holder(Duration.ofMillis(27_712), false);

        assertThat(new LockNotAcquiredException("Orders.pay", KEY, Duration.ofMillis(2008), holder, Blockage.UNKNOWN))
                .hasMessage("Lock 'order:42' was not acquired within 2 s for Orders.pay; held by shop-1 (pid 9382,"
                        + " thread exec-2), 27 s left on its lease.");
        assertThat(new LockNotAcquiredException(null, KEY, Duration.ofMillis(250), null, Blockage.UNKNOWN))
                .hasMessage("Lock 'order:42' was not acquired within 250 ms.");
    }

    @Test
    void single_try_says_that_the_lock_is_held() {
        LockHolder holder = holder(Duration.ofMinutes(5), false);

        assertThat(new LockNotAcquiredException("Orders.pay", KEY, Duration.ZERO, holder, Blockage.UNKNOWN))
                .hasMessage("Lock 'order:42' was not acquired for Orders.pay: it is held by shop-1 (pid 9382, thread"
                        + " exec-2), 5 min left on its lease.");
        assertThat(new LockNotAcquiredException(null, KEY, Duration.ZERO, null, Blockage.UNKNOWN))
                .hasMessage("Lock 'order:42' was not acquired: it is not free.");
    }

    @Test
    void lock_that_is_kept_by_minHold_is_not_called_held() {
        LockHolder kept = holder(Duration.ofMillis(59_994_643), true);

        assertThat(new LockNotAcquiredException(null, KEY, Duration.ofSeconds(5), kept, Blockage.UNKNOWN))
                .hasMessage("Lock 'order:42' was not acquired within 5 s; kept by minHold for another 16 h 39 min after"
                        + " its release by shop-1 (pid 9382, thread exec-2).");
        assertThat(new LockNotAcquiredException("Job.run", KEY, Duration.ZERO, kept, Blockage.UNKNOWN))
                .hasMessage("Lock 'order:42' was not acquired for Job.run: it is kept by minHold for another 16 h 39"
                        + " min after its release by shop-1 (pid 9382, thread exec-2).");
        assertThat(kept.describe())
                .isEqualTo("shop-1 (pid 9382, thread exec-2), kept by minHold for another 16 h 39 min");
    }
}
