package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Scheduled;

/** Settings that are valid, but rarely meant, are warned of when the application starts. */
@ExtendWith(OutputCaptureExtension.class)
class DoubtfulSettingsTest {

    private static final String WARNING = "is scheduled by cron and has no minHold";

    private static void start(Class<?> bean, String... properties) {
        ApplicationContextRunner runner = Runners.inMemory().withBean(bean).withPropertyValues(properties);
        runner.run(context -> assertThat(context).hasNotFailed());
    }

    static class Nightly {
        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLock(name = "nightly", waitFor = 0)
        public void run() {}
    }

    static class Kept {
        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLock(name = "kept", minHold = 60)
        public void run() {}
    }

    static class AtARate {
        @Scheduled(fixedRate = 1_000_000)
        @DistributedLock(name = "repeated")
        public void run() {}
    }

    static class AfterADelay {
        @Scheduled(fixedDelay = 1_000_000)
        @DistributedLock(name = "repeated")
        public void run() {}
    }

    static class AtARateByProperty {
        @Scheduled(fixedRateString = "${rate:PT1H}")
        @DistributedLock(name = "repeated")
        public void run() {}
    }

    static class AfterADelayByProperty {
        @Scheduled(cron = "-")
        @Scheduled(fixedDelayString = "PT1H")
        @DistributedLock(name = "repeated")
        public void run() {}
    }

    static class KeptForThePeriod {
        @Scheduled(fixedRate = 1_000_000)
        @DistributedLock(name = "repeated", minHold = 900)
        public void run() {}
    }

    static class Once {
        @Scheduled(initialDelay = 1_000_000)
        @DistributedLock(name = "once")
        public void run() {}
    }

    static class Disabled {
        @Scheduled(cron = "-")
        @DistributedLock(name = "disabled")
        public void run() {}
    }

    @Test
    void job_by_cron_without_a_least_time_is_warned_of(CapturedOutput output) {
        start(Nightly.class);
        assertThat(output).contains("Nightly.run()", WARNING, "holdfast.scheduled.min-hold");
    }

    @Test
    void job_that_has_one_by_property_is_not(CapturedOutput output) {
        start(Nightly.class, "holdfast.scheduled.min-hold=1m");
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void job_that_has_one_or_runs_at_most_once_is_not(CapturedOutput output) {
        start(Kept.class);
        start(KeptForThePeriod.class);
        start(Once.class);
        start(Disabled.class);
        assertThat(output).doesNotContain("has no minHold");
    }

    @ParameterizedTest
    @ValueSource(classes = {AtARate.class, AfterADelay.class, AtARateByProperty.class, AfterADelayByProperty.class})
    void job_that_each_node_repeats_without_a_least_time_is_warned_of(Class<?> job, CapturedOutput output) {
        start(job, "holdfast.scheduled.min-hold=1m");
        assertThat(output).doesNotContain("has no minHold");
        start(job);
        assertThat(output)
                .containsOnlyOnce("@DistributedLock method " + job.getName()
                        + ".run() is scheduled at a fixed rate or delay and has no minHold: every node runs it, one after"
                        + " the other, because each node starts its periods when it is started. To run it on one node in"
                        + " each period, set minHold, or holdfast.scheduled.min-hold, to slightly less than the period,"
                        + " and set waitFor = 0 with onContention = SKIP.");
    }

    static class Milliseconds {
        @DistributedLock(name = "milliseconds", lease = 30_000)
        public void run() {}
    }

    static class Minutes {
        @DistributedLock(name = "minutes", lease = 3_599)
        public void run() {}
    }

    static class FixedHours {
        @DistributedLock(name = "fixed", lease = 28_800, renew = false)
        public void run() {}
    }

    static class ShortMaxHold {
        @DistributedLock(name = "short", lease = 10)
        public void run() {}
    }

    @Test
    void lease_of_hours_is_warned_of(CapturedOutput output) {
        start(Milliseconds.class);
        assertThat(output)
                .contains("Milliseconds.run() has a lease of 8 h 20 min:", "Numbers are in seconds")
                .doesNotContain("looks like milliseconds");
    }

    @Test
    void longest_hold_below_the_lease_is_warned_of(CapturedOutput output) {
        start(ShortMaxHold.class, "holdfast.instances.short.max-hold=5s");
        assertThat(output).contains("ShortMaxHold.run()", "has a maxHold of 5 s, shorter than its lease of 10 s:");
    }

    static class MaxHoldAlone {
        @DistributedLock(name = "alone")
        public void run() {}
    }

    @Test
    void longest_hold_below_the_lease_of_the_properties_is_warned_of(CapturedOutput output) {
        start(MaxHoldAlone.class, "holdfast.instances.alone.max-hold=10s", "holdfast.lease=10s");
        assertThat(output).doesNotContain("has a maxHold");
        start(MaxHoldAlone.class, "holdfast.instances.alone.max-hold=10s");
        assertThat(output).contains("MaxHoldAlone.run()", "has a maxHold of 10 s, shorter than its lease of 30 s:");
    }

    static class OfCalls {
        @DistributedLock(name = "of-calls", leaseString = "#lease")
        public void lease(Duration lease) {}

        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLock(name = "of-calls", minHoldString = "@minHold")
        public void minHold() {}
    }

    @Test
    void times_that_each_call_says_for_itself_are_not_judged(CapturedOutput output) {
        start(OfCalls.class, "holdfast.instances.of-calls.max-hold=10s");
        start(OfCalls.class, "holdfast.instances.of-calls.lease=20s");
        assertThat(output)
                .contains("OfCalls.minHold() has a maxHold of 10 s")
                .doesNotContain("OfCalls.lease(", WARNING);
    }

    @Test
    void lease_below_an_hour_or_without_renewal_and_longest_hold_of_one_lease_are_not(CapturedOutput output) {
        start(Minutes.class);
        start(FixedHours.class);
        assertThat(output).doesNotContain("Minutes.run()", "FixedHours.run()");
    }

    static class InMilliseconds {
        @DistributedLock(name = "lease", lease = 5_000, renew = false)
        public void lease() {}

        @DistributedLock(name = "wait", waitFor = 5_000)
        public void waitFor() {}

        @DistributedLock(name = "min", minHold = 60_000)
        public void minHold() {}
    }

    @Test
    void numbers_that_look_like_milliseconds_are_warned_of(CapturedOutput output) {
        start(InMilliseconds.class);
        String method = "@DistributedLock method " + InMilliseconds.class.getName();
        String looks = ", which looks like milliseconds, but counts seconds: it is ";
        assertThat(output)
                .contains(
                        method + ".lease() has lease = 5000" + looks
                                + "1 h 23 min. Write the time with its unit: leaseString = \"5000ms\" or \"5000s\".",
                        method + ".waitFor() has waitFor = 5000" + looks
                                + "1 h 23 min. Write the time with its unit: waitForString = \"5000ms\" or \"5000s\".",
                        method + ".minHold() has minHold = 60000" + looks
                                + "16 h 40 min. Write the time with its unit: minHoldString = \"60000ms\" or \"60000s\".");
    }

    static class Meant {
        @DistributedLock(name = "night", lease = 900, minHold = 3_600, waitFor = 1_800)
        public void nightly() {}

        @DistributedLock(name = "day", minHold = 86_400, waitFor = DistributedLock.UNLIMITED)
        public void daily() {}

        @DistributedLock(name = "unit", minHold = 5_000, timeUnit = TimeUnit.MILLISECONDS)
        public void inMilliseconds() {}

        @DistributedLock(name = "text", leaseString = "2h", minHoldString = "5000s")
        public void withUnit() {}

        @DistributedLock(name = "hours", lease = 2, timeUnit = TimeUnit.HOURS)
        public void inHours() {}

        @DistributedLock(name = "property")
        public void ofProperty() {}

        @DistributedLock(name = "minutes", waitFor = 1_200)
        public void twentyMinutes() {}
    }

    @Test
    void round_hours_and_times_with_a_unit_are_not(CapturedOutput output) {
        start(Meant.class, "holdfast.instances.property.lease=2h");
        assertThat(output).doesNotContain("Meant.");
    }
}
