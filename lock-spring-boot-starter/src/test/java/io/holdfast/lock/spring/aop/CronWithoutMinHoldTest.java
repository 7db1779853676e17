package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Scheduled;

/** A job by cron that is not kept for a while runs once on each node, one after the other: that is warned of. */
@ExtendWith(OutputCaptureExtension.class)
class CronWithoutMinHoldTest {

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

    static class Repeated {
        @Scheduled(fixedDelay = 1_000_000)
        @DistributedLock(name = "repeated")
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
    void job_that_has_one_or_is_not_by_cron_is_not(CapturedOutput output) {
        start(Kept.class);
        start(Repeated.class);
        assertThat(output).doesNotContain(WARNING);
    }
}
