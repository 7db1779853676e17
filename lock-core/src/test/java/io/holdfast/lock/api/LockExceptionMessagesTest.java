package io.holdfast.lock.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole messages, as operators read them. */
class LockExceptionMessagesTest {

    private static final LockKey KEY = LockKey.of("order:42");

    private static LockHolder holder(Duration remaining, boolean kept) {
        return holder(remaining, kept, null);
    }

    private static LockHolder holder(Duration remaining, boolean kept, @Nullable String traceparent) {
        return new LockHolder(
                "client",
                "shop-1",
                9382,
                "exec-2",
                Instant.EPOCH,
                remaining,
                7,
                LockMode.EXCLUSIVE,
                kept,
                Optional.ofNullable(traceparent));
    }

    @Test
    void trace_of_the_holder_is_named() {
        LockHolder holder =
                holder(Duration.ofMinutes(5), false, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");

        assertThat(new LockNotAcquiredException(null, KEY, Duration.ZERO, holder, Blockage.UNKNOWN))
                .hasMessage("Lock 'order:42' was not acquired: it is held by shop-1 (pid 9382, thread exec-2, trace"
                        + " 4bf92f3577b34da6a3ce929d0e0e4736), 5 min left on its lease.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
                "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                "<script>alert(1)</script>"
            })
    void anything_but_a_sampled_trace_is_no_trace(String text) {
        assertThat(holder(Duration.ofMinutes(5), false, text).traceId()).isEmpty();
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
