package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Times that each call says for itself. */
class CallTimesTest {

    record Job(@Nullable Object time) {}

    static class Policy {
        public String waitFor(Job job) {
            return job.time() + "s";
        }
    }

    static class Jobs {

        @DistributedLock(
                name = "job",
                leaseString = "#job.time",
                waitForString = " @policy.waitFor(#job) ",
                minHoldString = "#p0.time")
        public void all(Job job) {}

        @DistributedLock(name = "job", leaseString = "#job.time")
        public void lease(Job job) {}

        @DistributedLock(name = "job", leaseString = "${app.lease}")
        public void byPlaceholder(Job job) {}
    }

    static class Misspelt {
        @DistributedLock(name = "job", leaseString = "#jbo.time")
        public void run(Job job) {}
    }

    private final ApplicationContextRunner application = Runners.inMemory()
            .withBean(Jobs.class)
            .withBean("policy", Policy.class)
            .withBean(RequestRecorder.class)
            .withPropertyValues("app.lease=#job.time", "holdfast.instances.job.lease=40s");

    private LockRequest requestOf(Consumer<Jobs> call) {
        List<LockRequest> seen = new ArrayList<>();
        application.run(context -> {
            call.accept(context.getBean(Jobs.class));
            seen.addAll(context.getBean(RequestRecorder.class).seen());
        });
        return seen.get(0);
    }

    @Test
    void each_time_may_be_an_expression() {
        LockRequest request = requestOf(jobs -> jobs.all(new Job(7)));
        Duration seven = Duration.ofSeconds(7);
        assertThat(request.lease()).contains(seven);
        assertThat(request.waitFor()).contains(seven);
        assertThat(request.minHold()).contains(seven);
    }

    @Test
    void value_is_a_duration_a_text_with_its_unit_or_a_number_of_the_time_unit() {
        assertThat(requestOf(jobs -> jobs.lease(new Job(Duration.ofMinutes(2)))).lease())
                .contains(Duration.ofMinutes(2));
        assertThat(requestOf(jobs -> jobs.lease(new Job("1500ms"))).lease()).contains(Duration.ofMillis(1500));
        assertThat(requestOf(jobs -> jobs.lease(new Job(3L))).lease()).contains(Duration.ofSeconds(3));
        assertThat(requestOf(jobs -> jobs.byPlaceholder(new Job(3L))).lease()).contains(Duration.ofSeconds(3));
    }

    @Test
    void null_leaves_the_time_to_the_properties() {
        assertThat(requestOf(jobs -> jobs.lease(new Job(null))).lease()).contains(Duration.ofSeconds(40));
        assertThat(requestOf(jobs -> jobs.lease(new Job(""))).lease()).contains(Duration.ofSeconds(40));
    }

    @Test
    void what_is_no_time_fails_the_call_and_says_what_would_be_one() {
        assertRefused("500", "needs a unit");
        assertRefused(1.5, "java.lang.Double is not a length of time", "a Duration");
        assertRefused(Duration.ofMillis(1), "lease", "100 ms");
        assertRefused(Long.MAX_VALUE, "evaluates to '" + Long.MAX_VALUE);
        assertRefused("soon", "'soon'");
    }

    private void assertRefused(Object time, String... words) {
        application.run(
                context -> assertThatThrownBy(() -> context.getBean(Jobs.class).lease(new Job(time)))
                        .isInstanceOf(LockKeyException.class)
                        .hasMessageContaining("Jobs.lease(Job), leaseString \"#job.time\"")
                        .hasMessageContainingAll(words));
    }

    @Test
    void unknown_parameter_fails_the_start() {
        Runners.inMemory()
                .withBean(Misspelt.class)
                .run(context ->
                        assertThat(Startup.failureOf(context)).contains("leaseString = \"#jbo.time\"", "#jbo", "#job"));
    }
}
