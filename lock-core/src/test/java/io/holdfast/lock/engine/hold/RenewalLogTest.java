package io.holdfast.lock.engine.hold;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.testing.CapturedLog;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A failed renewal is one line. */
class RenewalLogTest extends WatchdogFixture {

    private final CapturedLog captured = new CapturedLog(Watchdog.class.getName(), Level.INFO);

    @AfterEach
    void stopListening() {
        captured.close();
        store.reachable(true);
    }

    private void renewAt(Duration held) {
        time.pass(held);
        watchdog.tick();
        renewDue();
    }

    @Test
    void failed_renewal_is_one_line_with_key_and_name_and_time_held_and_cause() {
        Terms named = Holds.terms("order", LEASE.toNanos(), Terms.UNLIMITED, Long.MAX_VALUE);
        acquired(KEY, named, true, null);
        store.reachable(false);

        renewAt(Duration.ofSeconds(10));

        assertThat(captured.events()).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage())
                    .startsWith("Failed to renew 1 lock(s), including 'order:42' (order), held for 10 s")
                    .contains("Redis cannot be reached (on purpose)");
        });
    }

    @Test
    void renewal_that_goes_through_is_none() {
        acquired(KEY, LEASE, true);

        renewAt(Duration.ofSeconds(10));
        renewAt(Duration.ofSeconds(10));

        assertThat(captured.events()).isEmpty();
    }
}
