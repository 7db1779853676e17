package io.holdfast.lock.spring.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.scheduling.support.CronExpression;

/** How often a job runs, for the alert that it has not succeeded for two periods. */
class PeriodTest {

    private static Schedule cron(String expression) {
        return new Schedule.Cron(CronExpression.parse(expression), ZoneOffset.UTC);
    }

    /** 27 November 2026 is a Friday. Two periods reach from the last fire time to the one before the one before. */
    @ParameterizedTest
    @CsvSource({
        "2026-11-27T03:00:00Z, PT24H",
        "2026-11-29T12:00:00Z, PT24H",
        "2026-11-30T02:59:59Z, PT24H",
        "2026-11-30T03:00:00Z, PT48H",
        "2026-12-01T03:00:00Z, PT48H",
        "2026-12-02T03:00:00Z, PT24H"
    })
    void two_periods_of_working_days_contain_the_weekend_when_it_is_over(Instant now, Duration expected) {
        assertThat(cron("0 0 3 * * MON-FRI").period(now)).contains(expected);
    }

    @Test
    void period_of_a_fixed_rate_is_its_own_however_short() {
        Instant now = Instant.parse("2026-11-29T12:00:00.123Z");

        for (int millis : new int[] {1, 7, 10, 11, 60_000}) {
            assertThat(new Schedule.Rate(millis).period(now)).contains(Duration.ofMillis(millis));
        }
    }

    @Test
    void schedule_that_never_fires_has_no_period() {
        assertThat(cron("0 0 0 31 2 ?").period(Instant.parse("2026-11-29T12:00:00Z")))
                .isEmpty();
    }
}
