package io.holdfast.lock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.lock.spring.annotation.OnOneInstance;
import io.holdfast.lock.spring.jobs.JobRun;
import io.holdfast.lock.spring.jobs.Jobs;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.test.context.ContextConfiguration;

/** Tests of jobs, which need no clock. */
class JobFireTimesTest {

    private static final Instant THREE = Instant.parse("2026-03-01T03:00:00Z");
    private static final List<Instant> RAN = new CopyOnWriteArrayList<>();

    static class Reports {

        @Scheduled(cron = "0 0 3 * * *", zone = "UTC")
        @OnOneInstance(name = "report", attempts = 2)
        public void report() {
            RAN.add(Jobs.currentRun().map(JobRun::fireTime).orElseThrow());
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableScheduling
    @Import(Reports.class)
    static class Application {}

    @BeforeEach
    void nothingHasRun() {
        RAN.clear();
    }

    @AfterAll
    static void forget() {
        RAN.clear();
    }

    @Nested
    @SpringBootTest(classes = Application.class, webEnvironment = WebEnvironment.NONE)
    @AutoConfigureTestLocks
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    class WholeApplication {

        @Autowired
        Reports reports;

        @Autowired
        TestLocks testLocks;

        @Autowired
        Jobs jobs;

        @Autowired(required = false)
        @Nullable
        Clock clock;

        @Test
        @Order(1)
        void job_runs_once_for_the_fire_time() {
            testLocks.setFireTime(THREE);
            reports.report();
            reports.report();
            assertThat(RAN).containsExactly(THREE);

            testLocks.setFireTime(THREE.plus(Duration.ofDays(1)).plusSeconds(7));
            reports.report();
            assertThat(RAN).containsExactly(THREE, THREE.plus(Duration.ofDays(1)));
            assertThat(jobs.get("report").runs()).hasSize(2);
        }

        @Test
        @Order(2)
        void runs_of_an_earlier_test_are_forgotten() {
            assertThat(jobs.get("report").runs()).isEmpty();
            testLocks.setFireTime(THREE);
            reports.report();
            assertThat(RAN).containsExactly(THREE);
        }

        @Test
        @Order(3)
        void fire_time_of_an_earlier_test_is_forgotten() {
            reports.report();
            assertThat(RAN)
                    .hasSize(1)
                    .allSatisfy(fireTime -> assertThat(fireTime).isAfter(THREE));
        }

        @Test
        void fire_time_in_the_future_is_refused() {
            Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> testLocks.setFireTime(tomorrow))
                    .withMessage(
                            "No job runs for " + tomorrow + ", which is in the future. Set a fire time in the past.");
        }

        @Test
        void paused_job_is_skipped() {
            jobs.pause("report");
            testLocks.setFireTime(THREE);
            reports.report();
            assertThat(RAN).isEmpty();
            jobs.resume("report");
        }

        @Test
        void application_has_no_other_clock_to_inject() {
            assertThat(clock).isNull();
        }
    }

    @Nested
    @WebMvcTest
    @ContextConfiguration(classes = Application.class)
    @AutoConfigureTestLocks
    class Slice {

        @Autowired
        Reports reports;

        @Autowired
        TestLocks testLocks;

        @Test
        void job_runs_once_for_the_fire_time() {
            testLocks.setFireTime(THREE);
            reports.report();
            reports.report();
            assertThat(RAN).containsExactly(THREE);
        }
    }
}
