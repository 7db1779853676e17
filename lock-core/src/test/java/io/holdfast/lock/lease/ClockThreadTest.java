package io.holdfast.lock.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.store.Ticker;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread that looks at alarms in time. */
@Timeout(60)
class ClockThreadTest {

    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private final Alarms<String> alarms = new Alarms<>();
    private final Queue<Long> ticks = new ConcurrentLinkedQueue<>();
    private ClockThread clock;

    private void start(LongSupplier tick) {
        clock = new ClockThread(alarms, Ticker.SYSTEM, () -> {
            ticks.add(System.nanoTime());
            return tick.getAsLong();
        });
        clock.ensureStarted();
    }

    private void eventuallyTicked(int times) {
        Awaitility.await().until(() -> ticks.size() >= times);
    }

    @AfterEach
    void stop() {
        clock.stop();
    }

    /** Whoever added it compared it with the time that the thread had planned before, and did not wake it. */
    @Test
    void alarm_that_was_added_while_the_clock_looked_at_the_others_is_not_missed() {
        start(() -> {
            if (ticks.size() == 1) {
                alarms.replace(null, System.nanoTime(), "early");
            } else {
                alarms.pollDue(System.nanoTime());
            }
            return System.nanoTime() + HOUR;
        });

        eventuallyTicked(2);
    }

    @Test
    void alarm_that_is_earlier_than_all_others_wakes_the_clock() {
        start(() -> System.nanoTime() + HOUR);
        eventuallyTicked(1);
        long before = ticks.size();

        // Again and again, since nothing shows when the thread has published its plan.
        Awaitility.await().until(() -> {
            clock.wakeFor(System.nanoTime());
            return ticks.size() > before;
        });
    }

    @Test
    void clock_goes_on_after_an_error_but_not_at_once() {
        start(() -> {
            if (ticks.size() == 1) {
                throw new OutOfMemoryError("on purpose");
            }
            return System.nanoTime() + HOUR;
        });

        eventuallyTicked(2);

        long first = ticks.remove();
        assertThat(ticks.remove() - first).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(50));
    }
}
