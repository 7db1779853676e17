package io.holdfast.lock.spring.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.holdfast.lock.spring.jobs.JobRun.Outcome;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a job leaves with its lock. */
class JobStateTest {

    private static final Instant THREE = Instant.parse("2026-11-29T03:00:00Z");

    private static JobRun running(Instant fireTime) {
        return new JobRun(
                fireTime,
                1,
                Outcome.RUNNING,
                fireTime.plusMillis(4),
                Optional.empty(),
                77,
                "host/42",
                Optional.empty());
    }

    private static JobState after(int runs) {
        return Stream.iterate(0, n -> n + 1)
                .limit(runs)
                .reduce(
                        JobState.NONE,
                        (state, n) -> state.begin(running(THREE.plusSeconds(n)), Optional.empty(), 1_000)
                                .end(Outcome.FAILED, THREE.plusSeconds(n + 1), Optional.of("ÄÖÜ: ".repeat(40))),
                        (a, b) -> b);
    }

    @Test
    void runs_are_read_as_they_were_written() {
        JobState state = JobState.NONE
                .begin(running(THREE), Optional.empty(), 20)
                .end(Outcome.FAILED, THREE.plusSeconds(9), Optional.of("IllegalStateException: no disk"))
                .begin(running(THREE.plusSeconds(60)), Optional.of(THREE.plusSeconds(99)), 20);

        assertThat(JobState.decode("report", state.encode(32_768))).isEqualTo(state);
        assertThat(JobState.decode("report", JobState.NONE.encode(32_768))).isEqualTo(JobState.NONE);
    }

    @Test
    void only_the_last_runs_are_kept() {
        JobState state = JobState.NONE;
        for (int n = 0; n < 50; n++) {
            state = state.begin(running(THREE.plusSeconds(n)), Optional.empty(), 3)
                    .end(Outcome.SUCCEEDED, THREE.plusSeconds(n + 1), Optional.empty());
        }

        assertThat(state.runs())
                .extracting(JobRun::fireTime)
                .containsExactly(THREE.plusSeconds(49), THREE.plusSeconds(48), THREE.plusSeconds(47));
    }

    @Test
    void data_has_a_limit_whatever_the_failures_say() {
        byte[] encoded = after(1_000).encode(32_768);

        assertThat(encoded).hasSizeLessThanOrEqualTo(32_768).hasSizeGreaterThan(32_768 - 1_000);
        assertThat(JobState.decode("report", encoded).newest())
                .map(JobRun::fireTime)
                .contains(THREE.plusSeconds(999));
    }

    @Test
    void oldest_runs_are_dropped_where_less_data_is_allowed() {
        byte[] encoded = after(50).encode(JobState.MIN_BYTES);

        assertThat(encoded).hasSizeLessThanOrEqualTo(JobState.MIN_BYTES).hasSizeGreaterThan(JobState.MIN_BYTES / 2);
        assertThat(JobState.decode("report", encoded).newest())
                .map(JobRun::fireTime)
                .contains(THREE.plusSeconds(49));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "\u0007", "\u00e4", "\ud83d\ude00"})
    void one_run_has_room_whatever_its_texts(String letter) {
        String text = letter.repeat(500);
        JobRun run = new JobRun(
                THREE,
                Integer.MAX_VALUE,
                Outcome.RUNNING,
                THREE,
                Optional.empty(),
                Long.MAX_VALUE,
                text,
                Optional.empty());
        JobState state =
                JobState.NONE.begin(run, Optional.of(THREE), 20).end(Outcome.SUCCEEDED, THREE, Optional.of(text));

        assertThat(JobState.decode("report", state.encode(JobState.MIN_BYTES)).runs())
                .hasSize(1);
    }

    @Test
    void text_of_a_failure_cannot_forge_runs() {
        JobState state = JobState.NONE
                .begin(running(THREE), Optional.empty(), 20)
                .end(Outcome.FAILED, THREE, Optional.of("a\tb\n0\t1\tSUCCEEDED\u0007" + "😀".repeat(300)));

        JobState read = JobState.decode("report", state.encode(32_768));

        assertThat(read.runs()).hasSize(1);
        assertThat(read.runs().get(0).failure().orElseThrow())
                .startsWith("a\\u0009b\\u000a0")
                .hasSizeLessThan(300);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "holdfast-job 2\t", "{\"cursor\": 7}", "holdfast-job 1\t\nx", "holdfast-job 1"})
    void data_of_something_else_is_refused(String data) {
        assertThatException().isThrownBy(() -> JobState.decode("report", data.getBytes(UTF_8)));
    }
}
