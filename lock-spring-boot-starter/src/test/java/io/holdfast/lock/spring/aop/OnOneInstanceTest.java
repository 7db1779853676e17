package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A job of which one instance of several is to run each time. */
class OnOneInstanceTest {

    static class Jobs {

        @OnOneInstance(name = "report", minHold = "${app.at-least}")
        public Optional<String> report() {
            return Optional.of("ran");
        }
    }

    static class Nameless {

        @OnOneInstance(name = "", minHold = "10m")
        public void run() {}
    }

    static class WithoutUnit {

        @OnOneInstance(name = "report", minHold = "10")
        public void run() {}
    }

    static class Unset {

        @OnOneInstance(name = "report", minHold = "${not.there}")
        public void run() {}
    }

    @OnOneInstance(name = "night", minHold = "10")
    @Retention(RetentionPolicy.RUNTIME)
    @interface Nightly {}

    static class Composed {

        @Nightly
        public void run() {}
    }

    private final ApplicationContextRunner runner = Runners.inMemory()
            .withBean(Jobs.class)
            .withBean(RequestRecorder.class)
            .withPropertyValues("app.at-least=10m", "holdfast.wait-for=8s", "holdfast.locks.report.wait-for=9s");

    @Test
    void job_tries_once_and_keeps_others_out_for_a_while() {
        runner.run(context -> {
            assertThat(context.getBean(Jobs.class).report()).contains("ran");
            assertThat(context.getBean(RequestRecorder.class).seen())
                    .containsExactly(LockRequest.of("report")
                            .name("report")
                            .waitFor(Duration.ZERO)
                            .minHold(Duration.ofMinutes(10)));
            assertThat(context.getBean(Jobs.class).report()).isEmpty();
        });
    }

    @Test
    void job_without_a_name_is_told_of_the_name_and_not_of_a_key() {
        Runners.inMemory()
                .withBean(Nameless.class)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("Specify what to lock: name = \"nightly\".")
                        .doesNotContain("key ="));
    }

    @ParameterizedTest
    @ValueSource(classes = {WithoutUnit.class, Unset.class, Composed.class})
    void invalid_time_is_reported_in_the_words_of_the_annotation(Class<?> job) {
        String reason = job == Unset.class ? "\"${not.there}\", but a property in it" : "\"10\", without a unit";
        Runners.inMemory()
                .withBean(job)
                .run(context -> assertThat(Startup.failureOf(context))
                        .startsWith((job == Composed.class ? "@Nightly" : "@OnOneInstance") + " method " + job.getName()
                                + ".run() has minHold = " + reason)
                        .doesNotContain("minHoldString", "@DistributedLock"));
    }

    @Test
    void job_that_runs_elsewhere_is_skipped() {
        runner.run(context -> {
            try (LockHandle other =
                    context.getBean(LockTemplate.class).acquire("report").detach()) {
                assertThat(context.getBean(Jobs.class).report()).isEmpty();
                assertThat(other.isHeld()).isTrue();
            }
        });
    }
}
