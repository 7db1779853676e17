package io.holdfast.lock.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Settings of a role that is not the one of the application. */
@ExtendWith(OutputCaptureExtension.class)
class MisspeltRoleTest {

    private static final String WARNING = "holdfast.leadership.roles has settings for role '";

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

    @ParameterizedTest
    @CsvSource({
        "outbox, outbx",
        "outbox, Outbox",
        "outbox, out_box",
        "mail, mall",
        "mail-1, mails-1",
        "nightly-report-mailer-to-all, nightlyreportmailertoall"
    })
    void misspelt_name_is_warned_of(String role, String misspelt, CapturedOutput output) {
        application(role, misspelt)
                .run(context -> assertThat(output)
                        .contains(WARNING + misspelt + "', which no @LeaderOnly")
                        .contains("none for role '" + role + "', which a @LeaderOnly uses"));
    }

    @ParameterizedTest
    @CsvSource({
        "outbox, outbox",
        "outbox, inbox",
        "outbox, reports",
        "outbox, out",
        "mail-1, mail-2",
        "mail-1, mail",
        "mail, main-job",
        "a, b"
    })
    void name_of_another_role_is_not_warned_of(String role, String configured, CapturedOutput output) {
        application(role, configured).run(context -> assertThat(output).doesNotContain(WARNING));
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
