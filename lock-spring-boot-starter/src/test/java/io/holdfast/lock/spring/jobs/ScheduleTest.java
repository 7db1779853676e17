package io.holdfast.lock.spring.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.SimpleTriggerContext;

/** Which fire time an instance names at a time on its clock. */
class ScheduleTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private static Schedule cron(String expression, ZoneId zone) {
        return new Schedule.Cron(CronExpression.parse(expression), zone);
    }

    private static Instant berlin(String local) {
        return LocalDateTime.parse(local).atZone(BERLIN).toInstant();
    }

    @Test
    void fire_time_is_the_latest_one_at_or_before_the_clock() {
        Schedule at3 = cron("0 0 3 * * *", BERLIN);

        assertThat(at3.latest(berlin("2026-11-29T03:00:00"))).contains(berlin("2026-11-29T03:00:00"));
        assertThat(at3.latest(berlin("2026-11-29T03:00:04"))).contains(berlin("2026-11-29T03:00:00"));
        assertThat(at3.latest(berlin("2026-11-30T02:59:59"))).contains(berlin("2026-11-29T03:00:00"));
    }

    @Test
    void expression_is_read_in_its_zone() {
        Instant now = Instant.parse("2026-07-01T02:30:00Z");

        assertThat(cron("0 0 3 * * *", BERLIN).latest(now)).contains(Instant.parse("2026-07-01T01:00:00Z"));
        assertThat(cron("0 0 3 * * *", ZoneId.of("America/New_York")).latest(now))
                .contains(Instant.parse("2026-06-30T07:00:00Z"));
        assertThat(cron("0 0 3 * * *", ZoneId.of("Asia/Kolkata")).latest(now))
                .contains(Instant.parse("2026-06-30T21:30:00Z"));
    }

    @Test
    void rare_expressions_are_found_years_back() {
        assertThat(cron("0 0 0 29 2 *", ZoneId.of("UTC")).latest(Instant.parse("2027-12-31T00:00:00Z")))
                .contains(Instant.parse("2024-02-29T00:00:00Z"));
        assertThat(cron("0 0 0 29 2 MON", ZoneId.of("UTC")).latest(Instant.parse("2051-01-01T00:00:00Z")))
                .contains(Instant.parse("2044-02-29T00:00:00Z"));
        assertThat(cron("0 0 0 31 2 *", ZoneId.of("UTC")).latest(Instant.parse("2026-01-01T00:00:00Z")))
                .isEmpty();
    }

    /** Nights of a clock change, and ordinary time, against what Spring's trigger does from one run to the next. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 0 3 * * *         | Europe/Berlin       | 2026-03-27",
                "0 0 2 * * *         | Europe/Berlin       | 2026-03-27",
                "0 30 2 * * *        | Europe/Berlin       | 2026-03-27",
                "0 30 2 * * *        | Europe/Berlin       | 2026-10-23",
                "0 0 2 * * *         | Europe/Berlin       | 2026-10-23",
                "0 0 3 * * *         | Europe/Berlin       | 2026-10-23",
                "0 */20 * * * *      | Europe/Berlin       | 2026-03-28",
                "0 */20 * * * *      | Europe/Berlin       | 2026-10-24",
                "0 */20 1-3 * * *    | America/New_York    | 2026-03-06",
                "0 */20 1-3 * * *    | America/New_York    | 2026-10-30",
                "0 15 2 * * *        | Australia/Lord_Howe | 2026-04-03",
                "0 15 2 * * *        | Australia/Lord_Howe | 2026-10-02",
                "0 0 0 * * *         | America/Sao_Paulo   | 2018-11-02",
                "15,45 59 23 L * *   | UTC                 | 2026-01-15",
                "0 0 9-17 * * MON-FRI| Europe/London       | 2026-06-03"
            })
    void fire_times_are_those_of_springs_trigger(String expression, String zoneId, String day) {
        ZoneId zone = ZoneId.of(zoneId);
        Schedule times = cron(expression, zone);
        Instant start =
                ZonedDateTime.parse(day + "T12:00:00" + "Z[" + zoneId + "]").toInstant();
        List<Instant> springs = springs(expression, zone, start, start.plus(Duration.ofDays(4)));
        Random random = new Random(7);

        for (int i = 1; i < springs.size(); i++) {
            Instant from = springs.get(i - 1);
            Instant next = springs.get(i);
            assertThat(times.next(from)).contains(next);
            assertThat(times.latest(from)).contains(from);
            assertThat(times.latest(next.minusMillis(1))).contains(from);
            for (int n = 0; n < 20; n++) {
                Instant between = from.plusMillis(random.nextLong(
                        Duration.between(from, next).minusMillis(1).toMillis()));
                assertThat(times.latest(between)).contains(from);
            }
        }
    }

    private static List<Instant> springs(String expression, ZoneId zone, Instant start, Instant end) {
        CronTrigger trigger = new CronTrigger(expression, zone);
        List<Instant> found = new ArrayList<>();
        for (Instant next = next(trigger, start); next.isBefore(end) || found.size() < 3; next = next(trigger, next)) {
            found.add(next);
        }
        return found;
    }

    private static Instant next(CronTrigger trigger, Instant last) {
        Instant shortly = last.plusMillis(1);
        return Objects.requireNonNull(trigger.nextExecution(new SimpleTriggerContext(shortly, shortly, shortly)));
    }

    @Test
    void ticks_of_a_rate_are_multiples_of_the_period_since_the_epoch() {
        Schedule rate = new Schedule.Rate(Duration.ofMillis(7_000));

        assertThat(rate.latest(Instant.ofEpochMilli(13_999))).contains(Instant.ofEpochMilli(7_000));
        assertThat(rate.latest(Instant.ofEpochMilli(14_000))).contains(Instant.ofEpochMilli(14_000));
        assertThat(rate.latest(Instant.ofEpochMilli(20_000))).contains(Instant.ofEpochMilli(14_000));
        assertThat(rate.next(Instant.ofEpochMilli(14_000))).contains(Instant.ofEpochMilli(21_000));
    }

    @Test
    void several_schedules_of_a_method_are_one_row_of_fire_times() {
        Schedule both = new Schedule.Several(List.of(
                new Schedule.Cron(CronExpression.parse("0 0 3 * * *"), BERLIN),
                new Schedule.Cron(CronExpression.parse("0 0 15 * * *"), BERLIN)));

        assertThat(both.latest(berlin("2026-11-29T16:00:00"))).contains(berlin("2026-11-29T15:00:00"));
        assertThat(both.latest(berlin("2026-11-29T14:00:00"))).contains(berlin("2026-11-29T03:00:00"));
        assertThat(both.next(berlin("2026-11-29T03:00:00"))).contains(berlin("2026-11-29T15:00:00"));
    }

    @Test
    void clocks_may_differ_by_half_a_period_and_by_a_minute_at_most() {
        Instant midnight = Instant.EPOCH;

        assertThat(new Schedule.Rate(Duration.ofMillis(10_000)).tolerance(midnight))
                .isEqualTo(Duration.ofSeconds(5));
        assertThat(new Schedule.Rate(Duration.ofMillis(86_400_000)).tolerance(midnight))
                .isEqualTo(Duration.ofMinutes(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"* * 3 * * *", "0 0 3 1 1 *", "*/7 * * * * *"})
    void dense_and_sparse_expressions_take_few_steps(String expression) {
        Schedule times = cron(expression, BERLIN);
        Instant now = berlin("2026-11-29T10:00:00");

        Instant latest = times.latest(now).orElseThrow();

        assertThat(latest).isBeforeOrEqualTo(now);
        assertThat(times.next(latest)).map(now::isBefore).isEqualTo(Optional.of(true));
    }
}
