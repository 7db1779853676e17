package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.OnOneNode;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A job of which one node of several is to run each time. */
class OnOneNodeTest {

    static class Jobs {

        @OnOneNode(name = "report", atLeast = "${app.at-least}")
        public Optional<String> report() {
            return Optional.of("ran");
        }
    }

    private final ApplicationContextRunner runner = Runners.inMemory()
            .withBean(Jobs.class)
            .withBean(RequestRecorder.class)
            .withPropertyValues("app.at-least=10m", "holdfast.wait-for=8s", "holdfast.instances.report.wait-for=9s");

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
