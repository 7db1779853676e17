package io.holdfast.lock.engine.deadlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How often the store is called. */
class WritePaceTest {

    private static final long REFILL = Duration.ofMillis(500).toNanos();

    /** The monotonic clock wraps soon afterwards. */
    private static final long START = Long.MAX_VALUE - REFILL;

    private final WritePace pace = new WritePace(START);

    private int callsAt(long now) {
        int calls = 0;
        while (pace.delay(now) <= 0) {
            pace.called(now);
            calls++;
        }
        return calls;
    }

    @Test
    void four_calls_may_be_made_at_once() {
        assertThat(callsAt(START)).isEqualTo(4);
        assertThat(pace.delay(START)).isEqualTo(REFILL);
    }

    @Test
    void one_more_call_may_be_made_every_half_second() {
        callsAt(START);

        for (int i = 1; i <= 5; i++) {
            assertThat(callsAt(START + i * REFILL - 1)).isZero();
            assertThat(callsAt(START + i * REFILL)).isEqualTo(1);
        }
    }

    @Test
    void long_pause_saves_up_no_more_than_four_calls() {
        callsAt(START);

        assertThat(callsAt(START + 100 * REFILL)).isEqualTo(4);
    }
}
