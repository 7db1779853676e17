package io.holdfast.lock.spring.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.jobs.Decision.Ahead;
import io.holdfast.lock.spring.jobs.Decision.Later;
import io.holdfast.lock.spring.jobs.Decision.Run;
import io.holdfast.lock.spring.jobs.Decision.Taken;
import io.holdfast.lock.spring.jobs.JobRun.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.scheduling.support.CronExpression;

/** Whether an instance runs a job now, on virtual time. */
class JobRulesTest {

    private static final Instant START = Instant.ofEpochSecond(1_800_000_000);
    private static final Duration LEASE = Duration.ofSeconds(3);

    private final Schedule every10s = new Schedule.Rate(Duration.ofMillis(10_000));
    private JobRules rules = new JobRules(every10s, 1, Duration.ofSeconds(2), Duration.ZERO, "here");
    private JobState state = JobState.NONE;
    private Instant savedAt = Instant.EPOCH;
    private String instance = "elsewhere";

    private static Instant at(double seconds) {
        return START.plusMillis(Math.round(seconds * 1_000));
    }

    private Decision decide(double local, double now) {
        return rules.decide(state, savedAt, LEASE, at(local), at(now));
    }

    private Decision decide(double now) {
        return decide(now, now);
    }

    private static Run run(double fireTime, int attempt) {
        return new Run(at(fireTime), attempt, Optional.empty());
    }

    private void begun(double fireTime, int attempt, double start) {
        JobRun run = new JobRun(
                at(fireTime), attempt, Outcome.RUNNING, at(start), Optional.empty(), 7, instance, Optional.empty());
        state = state.begin(run, Optional.empty(), 20);
        savedAt = at(start);
    }

    private void ended(Outcome outcome, double end) {
        state = state.end(outcome, at(end), Optional.empty());
        savedAt = at(end);
    }

    private void ran(double fireTime, Outcome outcome, double start, double end) {
        begun(fireTime, 1, start);
        ended(outcome, end);
    }

    @Test
    void fire_time_that_nobody_has_claimed_is_run() {
        assertThat(decide(20.01)).isEqualTo(run(20, 1));

        ran(20, Outcome.SUCCEEDED, 20.02, 20.5);

        assertThat(decide(30.01)).isEqualTo(run(30, 1));
    }

    @Test
    void timer_that_fires_a_few_milliseconds_early_names_the_fire_time_to_come() {
        assertThat(decide(19.99)).isEqualTo(run(20, 1));
        assertThat(decide(19.989)).isEqualTo(run(10, 1));
    }

    @Test
    void fire_time_that_was_run_is_taken_however_late_or_early_a_clock_comes() {
        ran(20, Outcome.SUCCEEDED, 20, 20.2);

        assertThat(decide(20, 20.3)).isEqualTo(new Taken());
        assertThat(decide(20.01, 24)).as("4 s behind").isEqualTo(new Taken());
        assertThat(decide(24.9, 24.9)).as("its scheduler was busy").isEqualTo(new Taken());
        assertThat(decide(13, 21)).as("8 s behind").isEqualTo(new Taken());
    }

    @Test
    void fast_clock_claims_early_but_not_by_more_than_half_a_period() {
        assertThat(decide(20, 15)).isEqualTo(run(20, 1));
        assertThat(decide(20, 14.99)).isEqualTo(new Ahead(at(20), Duration.ofMillis(5_010)));
    }

    @Test
    void fast_clock_claims_no_more_than_a_minute_early() {
        rules = new JobRules(new Schedule.Rate(Duration.ofMillis(3_600_000)), 1, LEASE, Duration.ZERO, "here");

        assertThat(rules.decide(state, savedAt, LEASE, at(0), at(-60))).isEqualTo(run(0, 1));
        assertThat(rules.decide(state, savedAt, LEASE, at(0), at(-60.001)))
                .isEqualTo(new Ahead(at(0), Duration.ofMillis(60_001)));
    }

    @Test
    void timer_that_fired_too_early_is_repeated_at_the_fire_time() {
        ran(20, Outcome.SUCCEEDED, 20, 20.2);

        assertThat(decide(29.5, 29.7)).isEqualTo(new Later(at(30.2)));
        assertThat(decide(25.01, 25)).isEqualTo(new Later(at(29.99)));
        assertThat(decide(25, 25)).isEqualTo(new Taken());
    }

    @Test
    void clock_that_was_set_back_after_the_timer_was_set_is_waited_for() {
        rules = new JobRules(new Schedule.Rate(Duration.ofMillis(3_600_000)), 1, LEASE, Duration.ZERO, "here");
        ran(0, Outcome.SUCCEEDED, 0, 1);

        assertThat(decide(3_000, 3_000)).isEqualTo(new Later(at(3_600)));
        assertThat(decide(1_700, 1_700)).isEqualTo(new Taken());
    }

    /** Otherwise it would claim the next one, and all others up to its own time to make them up. */
    @Test
    void clock_that_is_far_ahead_does_not_claim_an_earlier_fire_time_either() {
        rules = new JobRules(new Schedule.Rate(Duration.ofMillis(1_000)), 1, LEASE, Duration.ZERO, "here");
        ran(20, Outcome.SUCCEEDED, 20, 20.2);

        assertThat(decide(3_620, 21.01)).isEqualTo(new Ahead(at(3_620), Duration.ofMillis(3_598_990)));
        assertThat(decide(21.5, 21.01)).isEqualTo(run(21, 1));
    }

    @Test
    void run_in_progress_is_left_alone_until_its_lock_may_be_free() {
        begun(20, 1, 20.1);

        assertThat(decide(20.2)).isEqualTo(new Later(at(23.1)));
        assertThat(decide(23.099)).isEqualTo(new Later(at(23.1)));
        assertThat(decide(23.1)).as("if the lock is free, its instance died").isEqualTo(run(20, 2));
    }

    @Test
    void deaths_are_taken_over_without_limit_within_the_period_and_soon_after_it_three_times_at_most() {
        begun(20, 3, 20);
        assertThat(decide(29)).isEqualTo(run(20, 4));
        assertThat(decide(30)).isEqualTo(run(30, 1));

        begun(20, 2, 24);
        assertThat(decide(32.9)).as("it began less than three leases ago").isEqualTo(run(20, 3));
        begun(20, 3, 24);
        assertThat(decide(30)).isEqualTo(run(30, 1));
    }

    @Test
    void death_is_taken_over_until_the_next_fire_time_which_takes_its_place() {
        rules = new JobRules(new Schedule.Rate(Duration.ofMillis(86_400_000)), 1, LEASE, Duration.ZERO, "here");
        double day = 86_400 - Math.floorMod(START.getEpochSecond(), 86_400L);
        begun(day, 1, day);

        assertThat(decide(day + 86_000)).isEqualTo(run(day, 2));
        assertThat(decide(day + 86_400.01)).isEqualTo(run(day + 86_400, 1));
    }

    @Test
    void deaths_do_not_count_as_attempts_that_failed() {
        rules = new JobRules(every10s, 2, Duration.ofSeconds(1), Duration.ZERO, "here");
        begun(20, 1, 20);
        ended(Outcome.LOST, 23);
        begun(20, 2, 23);
        ended(Outcome.FAILED, 24);

        assertThat(decide(25)).isEqualTo(run(20, 3));

        begun(20, 3, 25);
        ended(Outcome.FAILED, 26);
        assertThat(decide(28)).isNotInstanceOf(Run.class);
    }

    @Test
    void failed_run_is_final_by_default() {
        ran(20, Outcome.FAILED, 20, 20.5);

        assertThat(decide(24)).isEqualTo(new Taken());
    }

    @Test
    void failed_run_is_repeated_after_the_given_time_as_often_as_allowed() {
        rules = new JobRules(every10s, 3, Duration.ofSeconds(2), Duration.ZERO, "here");
        ran(20, Outcome.FAILED, 20, 20.5);
        assertThat(decide(21)).isEqualTo(new Later(at(22.5)));
        assertThat(decide(22.5)).isEqualTo(run(20, 2));

        begun(20, 3, 23);
        ended(Outcome.FAILED, 24);
        assertThat(decide(27)).isEqualTo(new Later(at(30)));
    }

    @Test
    void instance_that_has_failed_lets_others_try_first() {
        rules = new JobRules(every10s, 3, Duration.ofSeconds(2), Duration.ZERO, "here");
        instance = "here";
        ran(20, Outcome.FAILED, 20, 20.5);

        assertThat(decide(22.5)).isEqualTo(new Later(at(25.5)));
        assertThat(decide(25.5)).isEqualTo(run(20, 2));
    }

    @Test
    void instance_that_has_failed_tries_again_before_the_next_fire_time_although_its_lease_is_longer() {
        rules = new JobRules(every10s, 3, Duration.ofSeconds(2), Duration.ZERO, "here");
        instance = "here";
        ran(20, Outcome.FAILED, 20, 20.5);
        Duration lease = Duration.ofSeconds(20);

        assertThat(rules.decide(state, savedAt, lease, at(22.5), at(22.5))).isEqualTo(new Later(at(27.5)));
        assertThat(rules.decide(state, savedAt, lease, at(27.5), at(27.5))).isEqualTo(run(20, 2));
    }

    @Test
    void next_fire_time_takes_the_place_of_a_repetition() {
        rules = new JobRules(every10s, 3, Duration.ofSeconds(2), Duration.ZERO, "here");
        ran(20, Outcome.FAILED, 20, 29);

        assertThat(decide(30)).isEqualTo(run(30, 1));
    }

    @Test
    void instance_that_starts_takes_over_and_catches_up_with_what_is_recent() {
        assertThat(rules.isRunAtStart(run(20, 1), at(20))).isFalse();
        assertThat(rules.isRunAtStart(run(20, 2), at(20_000))).isTrue();

        rules = new JobRules(every10s, 1, LEASE, Duration.ofSeconds(8), "here");
        assertThat(rules.isRunAtStart(run(20, 1), at(27.999))).isTrue();
        assertThat(rules.isRunAtStart(run(20, 1), at(28))).isFalse();
        assertThat(rules.isRunAtStart(run(10, 1), at(27)))
                .as("made up before 20")
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "2026-03-28T12:00:00Z, 0 30 2 * * *, 0", // 2:30 does not exist on the 29th, as for Spring
        "2026-03-28T12:00:00Z, 0 0 3 * * *, 1",
        "2026-10-24T12:00:00Z, 0 30 2 * * *, 2", // 2:30 comes twice on the 25th, as for Spring
        "2026-10-24T12:00:00Z, 0 0 3 * * *, 1",
        "2026-06-01T12:00:00Z, 0 30 2 * * *, 1",
        "2026-03-28T12:00:00Z, 0 */20 * * * *, 69",
        "2026-10-24T12:00:00Z, 0 */20 * * * *, 75"
    })
    void days_of_a_clock_change_have_each_fire_time_once(Instant start, String cron, int expected) {
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        rules = new JobRules(new Schedule.Cron(CronExpression.parse(cron), berlin), 1, LEASE, Duration.ZERO, "here");
        List<Instant> ran = new ArrayList<>();
        for (Instant now = start; now.isBefore(start.plus(Duration.ofDays(2))); now = now.plusSeconds(300)) {
            for (int offset : new int[] {0, -4, 3}) {
                if (rules.decide(state, savedAt, LEASE, now.plusSeconds(offset), now) instanceof Run due) {
                    JobRun run = JobRun.begun(due, now, 7, "here");
                    state = state.begin(run, due.makeUpTo(), 20).end(Outcome.SUCCEEDED, now, Optional.empty());
                    savedAt = now;
                    ran.add(due.fireTime());
                }
            }
        }
        LocalDate changed = start.atZone(berlin).toLocalDate().plusDays(1);
        assertThat(ran).doesNotHaveDuplicates().isSorted();
        assertThat(ran)
                .filteredOn(at -> at.atZone(berlin).toLocalDate().equals(changed))
                .hasSize(expected);
    }

    @Test
    void several_schedules_are_one_row_of_fire_times() {
        rules = new JobRules(
                new Schedule.Several(List.of(every10s, new Schedule.Rate(Duration.ofMillis(4_000)))),
                1,
                LEASE,
                Duration.ZERO,
                "here");
        ran(8, Outcome.SUCCEEDED, 8, 8.1);

        assertThat(decide(10)).isEqualTo(run(10, 1));
        ran(10, Outcome.SUCCEEDED, 10, 10.1);
        assertThat(decide(11.5)).isEqualTo(new Later(at(12)));
        assertThat(decide(12)).isEqualTo(run(12, 1));
    }

    @Test
    void skipped_fire_time_is_taken() {
        ran(20, Outcome.SKIPPED, 20, 20);

        assertThat(decide(24)).isEqualTo(new Taken());
    }

    @Test
    void delay_counts_from_the_end_of_the_last_run() {
        rules = new JobRules(new Schedule.Delay(Duration.ofSeconds(5)), 1, LEASE, Duration.ZERO, "here");
        assertThat(decide(20)).isEqualTo(run(20, 1));

        ran(20, Outcome.SUCCEEDED, 20, 22);
        assertThat(decide(99, 26.999)).as("local clocks do not count").isEqualTo(new Later(at(27)));
        assertThat(decide(0, 27)).isEqualTo(run(27, 1));

        ran(27, Outcome.FAILED, 27, 28);
        assertThat(decide(40)).isEqualTo(run(33, 1));
    }

    @Test
    void run_with_a_delay_is_taken_over_and_repeated() {
        rules = new JobRules(
                new Schedule.Delay(Duration.ofSeconds(5)), 2, Duration.ofSeconds(1), Duration.ZERO, "here");
        begun(20, 1, 20);
        assertThat(decide(22)).isEqualTo(new Later(at(23)));
        assertThat(decide(23)).isEqualTo(run(20, 2));

        ran(30, Outcome.FAILED, 30, 31);
        assertThat(decide(31.5)).isEqualTo(new Later(at(32)));
        assertThat(decide(32)).isEqualTo(run(30, 2));

        rules = new JobRules(
                new Schedule.Delay(Duration.ofMillis(500)), 2, Duration.ofSeconds(1), Duration.ZERO, "here");
        assertThat(decide(31.5)).as("due before the repetition").isEqualTo(run(31.5, 1));
    }

    @Test
    void fire_times_that_nobody_could_claim_are_made_up_in_order() {
        rules = new JobRules(new Schedule.Rate(Duration.ofMillis(1_000)), 1, LEASE, Duration.ZERO, "here");
        ran(20, Outcome.SUCCEEDED, 20, 20.2);

        assertThat(decide(23.4)).isEqualTo(new Run(at(21), 1, Optional.of(at(25))));

        state = new JobState(state.runs(), Optional.of(at(25)));
        assertThat(decide(23.4)).isEqualTo(new Run(at(21), 1, Optional.of(at(25))));
        ran(25, Outcome.SUCCEEDED, 27, 27.2);
        state = new JobState(state.runs(), Optional.of(at(25)));
        assertThat(decide(28.4)).as("making up has an end").isEqualTo(run(28, 1));
    }

    @Test
    void fire_times_missed_after_all_others_were_made_up_are_made_up_as_well() {
        rules = new JobRules(new Schedule.Rate(Duration.ofMillis(1_000)), 1, LEASE, Duration.ZERO, "here");
        ran(25, Outcome.SUCCEEDED, 25.9, 26.1);
        state = new JobState(state.runs(), Optional.of(at(26)));
        assertThat(decide(26.4)).as("the latest has been reached").isEqualTo(run(26, 1));

        ran(26, Outcome.SUCCEEDED, 26.4, 26.6);
        assertThat(decide(29.6)).isEqualTo(new Run(at(27), 1, Optional.of(at(31))));
    }

    @Test
    void fire_times_older_than_two_leases_are_not_made_up_whatever_was_planned_before() {
        rules = new JobRules(new Schedule.Rate(Duration.ofMillis(1_000)), 1, LEASE, Duration.ZERO, "here");
        ran(20, Outcome.SUCCEEDED, 20, 20.2);
        state = new JobState(state.runs(), Optional.of(at(1_000)));

        assertThat(decide(500.4)).isEqualTo(new Run(at(495), 1, Optional.of(at(1_000))));
    }

    @Test
    void fire_times_older_than_two_leases_are_not_made_up() {
        ran(20, Outcome.SUCCEEDED, 20, 20.2);
        assertThat(decide(64)).isEqualTo(run(60, 1));

        rules = new JobRules(new Schedule.Rate(Duration.ofMillis(1_000)), 1, LEASE, Duration.ZERO, "here");
        assertThat(decide(64.5)).isEqualTo(new Run(at(59), 1, Optional.of(at(69))));
    }
}
