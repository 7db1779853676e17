package io.holdfast.lock.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Settings of a role that is not the one of the application. */
@ExtendWith(OutputCaptureExtension.class)
class MisspelledRoleTest {

    private static final String WARNING =
            "holdfast.leadership.roles has settings for roles that no @LeaderOnly or" + " injected Leadership uses: ";

    static class Outbox {
        @LeaderOnly("${role}")
        public void publish() {}
    }

    record Relay(Leadership leadership) {}

    record Candidate(LeaderElection election) {}

    private static ApplicationContextRunner application(String role, String configured) {
        return Runners.inMemory()
                .withBean(Outbox.class)
                .withPropertyValues("role=" + role, "holdfast.leadership.roles[" + configured + "].enabled=false");
    }

    @Test
    void role_that_nothing_uses_is_warned_of_while_another_has_no_settings(CapturedOutput output) {
        application("outbox", "outbx")
                .run(context -> assertThat(output)
                        .contains(WARNING + "outbx. There are no settings for outbox, which a @LeaderOnly uses"));
    }

    @Test
    void role_of_the_annotation_is_not_warned_of(CapturedOutput output) {
        application("outbox", "outbox").run(context -> assertThat(output).doesNotContain(WARNING));
    }

    @Test
    void role_that_has_settings_is_not_what_is_meant(CapturedOutput output) {
        application("outbox", "outbx")
                .withPropertyValues("holdfast.leadership.roles.outbox.lease=5s")
                .run(context -> assertThat(output).doesNotContain(WARNING));
    }

    @Test
    void injected_role_is_not_warned_of(CapturedOutput output) {
        application("outbox", "outbx")
                .withBean(Relay.class)
                .run(context -> assertThat(output).doesNotContain(WARNING));
    }

    /** It may ask for any role later. */
    @Test
    void nothing_is_warned_of_if_the_election_is_used(CapturedOutput output) {
        application("outbox", "outbx")
                .withBean(Candidate.class)
                .run(context -> assertThat(output).doesNotContain(WARNING));
    }

    @Test
    void it_is_warned_of_once(CapturedOutput output) {
        application("outbox", "outbx").run(context -> {
            context.getSourceApplicationContext().stop();
            context.getSourceApplicationContext().start();
            assertThat(output).containsPattern(Pattern.quote(WARNING));
            assertThat(output.toString().split(Pattern.quote(WARNING), -1)).hasSize(2);
        });
    }
}
