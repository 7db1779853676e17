package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.DistributedReadLock;
import io.holdfast.lock.spring.annotation.DistributedSemaphore;
import io.holdfast.lock.spring.annotation.DistributedWriteLock;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Numbers of seconds that look like milliseconds start with a warning. */
@ExtendWith(OutputCaptureExtension.class)
class DoubtfulTimesTest {

    interface Job {
        @DistributedLock(name = "job", lease = 30_000)
        void run();
    }

    static class Lease implements Job {
        @Override
        public void run() {}
    }

    static class Doubtful {
        @DistributedLock(name = "wait", waitFor = 5_000)
        public void waitFor() {}

        @DistributedLock(name = "hold", minHold = 60_000)
        public void minHold() {}

        @DistributedLock(name = "half", waitFor = 1_500, renew = false, lease = 2_500)
        public void halfSeconds() {}

        @DistributedLock(name = "hours", lease = 36_000)
        public void hours() {}

        @DistributedLock(name = "minutes", minHold = 180_000, waitFor = 3_600_000)
        public void minutesAndHours() {}

        @DistributedReadLock(name = "read", waitFor = 2_000)
        public void read() {}

        @DistributedWriteLock(name = "write", waitFor = 21_600_000)
        public void write() {}

        @DistributedSemaphore(name = "permits", permits = 3, lease = 10_000)
        public void permits() {}
    }

    static class Meant {
        @DistributedLock(name = "minutes", lease = 3_599, waitFor = 1_200, minHold = 1_800)
        public void minutes() {}

        @DistributedLock(name = "fixed", lease = 28_800, renew = false, waitFor = 7_200, minHold = 86_400)
        public void hours() {}

        @DistributedLock(name = "days", lease = 864_000, renew = false, waitFor = DistributedLock.FOREVER)
        public void days() {}

        @DistributedLock(name = "unit", lease = 30_000, waitFor = 5_000, timeUnit = TimeUnit.MILLISECONDS)
        public void unit() {}

        @DistributedLock(name = "text", leaseString = "30000s", waitForString = "5000s", minHoldString = "60000s")
        public void text() {}

        @DistributedLock(name = "few", lease = 500, waitFor = 100, minHold = 900)
        public void few() {}
    }

    private static void start(Class<?> bean) {
        Runners.inMemory().withBean(bean).run(context -> assertThat(context).hasNotFailed());
    }

    private static String warning(Class<?> bean, String method, String name, long number, String time) {
        return "@DistributedLock method %s.%s() has %s = %d, which is %s, because numbers are in seconds."
                        .formatted(bean.getName(), method, name, number, time)
                + " If milliseconds were meant, write %1$sString = \"%2$dms\"; otherwise %1$sString = \"%2$ds\"."
                        .formatted(name, number);
    }

    @Test
    void time_that_looks_like_milliseconds_is_warned_of_once(CapturedOutput output) {
        start(Lease.class);
        assertThat(output).containsOnlyOnce(warning(Lease.class, "run", "lease", 30_000, "8 h 20 min"));
    }

    @Test
    void every_time_of_every_annotation_is_examined(CapturedOutput output) {
        start(Doubtful.class);
        assertThat(output)
                .contains(warning(Doubtful.class, "waitFor", "waitFor", 5_000, "1 h 23 min"))
                .contains(warning(Doubtful.class, "minHold", "minHold", 60_000, "16 h 40 min"))
                .contains(warning(Doubtful.class, "halfSeconds", "waitFor", 1_500, "25 min"))
                .contains(warning(Doubtful.class, "halfSeconds", "lease", 2_500, "41 min 40 s"))
                .contains(warning(Doubtful.class, "hours", "lease", 36_000, "10 h"))
                .contains(warning(Doubtful.class, "minutesAndHours", "minHold", 180_000, "2 days 2 h"))
                .contains(warning(Doubtful.class, "minutesAndHours", "waitFor", 3_600_000, "41 days 16 h"))
                .contains(warning(Doubtful.class, "read", "waitFor", 2_000, "33 min 20 s"))
                .contains(warning(Doubtful.class, "write", "waitFor", 21_600_000, "250 days"))
                .contains(warning(Doubtful.class, "permits", "lease", 10_000, "2 h 46 min"));
    }

    @Test
    void time_that_is_usual_or_has_a_unit_is_not_warned_of(CapturedOutput output) {
        start(Meant.class);
        assertThat(output).doesNotContain("numbers are in seconds");
    }
}
