package io.holdfast.lock.spring.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.scheduling.support.CronExpression;

/** Since when a job should have succeeded, for the alert that it has not at its last two fire times. */
class LastButOneTest {

    private static Schedule cron(String expression) {
        return new Schedule.Cron(CronExpression.parse(expression), ZoneOffset.UTC);
    }

    /** 27 November 2026 is a Friday: on the weekend, the success of Friday is late enough, and on Monday that of Friday as well. */
    @ParameterizedTest
    @CsvSource({
        "2026-11-27T03:00:00Z, 2026-11-26T03:00:00Z",
        "2026-11-29T12:00:00Z, 2026-11-26T03:00:00Z",
        "2026-11-30T02:59:59Z, 2026-11-26T03:00:00Z",
        "2026-11-30T03:00:00Z, 2026-11-27T03:00:00Z",
        "2026-12-01T03:00:00Z, 2026-11-30T03:00:00Z"
    })
    void weekend_without_runs_is_no_failure_of_working_days(Instant now, Instant expected) {
        assertThat(cron("0 0 3 * * MON-FRI").lastButOne(now)).contains(expected);
    }

    @ParameterizedTest
    @CsvSource({"1, 2026-11-29T12:00:00.122Z", "10, 2026-11-29T12:00:00.110Z", "60000, 2026-11-29T11:59:00Z"})
    void fixed_rate_counts_its_ticks(long millis, Instant expected) {
        assertThat(new Schedule.Rate(Duration.ofMillis(millis)).lastButOne(Instant.parse("2026-11-29T12:00:00.123Z")))
                .contains(expected);
    }

    @Test
    void schedule_that_never_fires_has_none() {
        assertThat(cron("0 0 0 31 2 ?").lastButOne(Instant.parse("2026-11-29T12:00:00Z")))
                .isEmpty();
    }
}
