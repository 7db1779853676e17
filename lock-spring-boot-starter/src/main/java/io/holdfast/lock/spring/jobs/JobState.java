package io.holdfast.lock.spring.jobs;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.spring.jobs.JobRun.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.util.Assert;

/**
 * What a job leaves with its lock: its last runs. The first one has claimed its fire time, and all before it. Immutable.
 *
 * <p>As text: a line with the version, then one for each run, with tabs. Only the holder of the lock writes it, so a run without an end
 * whose lock is free is lost.
 *
 * @param runs the latest first
 * @param makeUpTo up to which fire time those are made up for which nobody could run; empty if none are
 */
record JobState(List<JobRun> runs, Optional<Instant> makeUpTo) {

    static final JobState NONE = new JobState(List.of(), Optional.empty());

    /** Room for one run, whatever its texts. */
    static final int MIN_BYTES = 1_024;

    private static final int MAX_TEXT_BYTES = 200;
    private static final String HEAD = "holdfast-job 1";

    Optional<JobRun> newest() {
        return runs.stream().findFirst();
    }

    /** If the newest run has not ended, it must be recorded as lost first. */
    JobState begin(JobRun run, Optional<Instant> madeUpTo, int history) {
        return new JobState(
                Stream.concat(Stream.of(run), runs.stream()).limit(history).toList(), madeUpTo);
    }

    /** The end of the newest run. */
    JobState end(Outcome outcome, Instant at, Optional<String> failure) {
        List<JobRun> all = new ArrayList<>(runs);
        all.set(0, all.get(0).ended(outcome, at, failure.map(JobState::printable)));
        return new JobState(all, makeUpTo);
    }

    /**
     * Drops the oldest runs if there is not enough room.
     *
     * @param limit the maximum size in bytes, at least {@link #MIN_BYTES}
     */
    byte[] encode(int limit) {
        String head = HEAD + '\t' + millis(makeUpTo);
        byte[] text = Stream.concat(Stream.of(head), runs.stream().map(JobState::line))
                .collect(Collectors.joining("\n"))
                .getBytes(StandardCharsets.UTF_8);
        return text.length <= limit ? text : new JobState(runs.subList(0, runs.size() - 1), makeUpTo).encode(limit);
    }

    private static String line(JobRun run) {
        return String.join(
                "\t",
                millis(Optional.of(run.fireTime())),
                String.valueOf(run.attempt()),
                run.outcome().name(),
                millis(Optional.of(run.start())),
                millis(run.end()),
                String.valueOf(run.fencingToken()),
                printable(run.instance()),
                run.failure().orElse(""));
    }

    /** Throws an {@link IllegalStateException} if it is something else, damaged, or was written by a later version. */
    static JobState decode(String job, byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        try {
            String[] lines = text.split("\n", -1);
            String[] head = lines[0].split("\t", -1);
            Assert.isTrue(head[0].equals(HEAD), "Another head");
            return new JobState(Stream.of(lines).skip(1).map(JobState::run).toList(), time(head[1]));
        } catch (RuntimeException notThatOfAJob) {
            throw new IllegalStateException("The data of the lock of job '" + job
                    + "' is not that of a job, or of a later version: it begins with '" + printable(text)
                    + "', not with '" + HEAD
                    + "', or ends too early. Give the job a name that nothing else uses, or update this instance.");
        }
    }

    private static JobRun run(String line) {
        String[] part = line.split("\t", -1);
        return new JobRun(
                time(part[0]).orElseThrow(),
                Integer.parseInt(part[1]),
                Outcome.valueOf(part[2]),
                time(part[3]).orElseThrow(),
                time(part[4]),
                Long.parseLong(part[5]),
                part[6],
                Optional.of(part[7]).filter(text -> !text.isEmpty()));
    }

    private static String millis(Optional<Instant> time) {
        return time.map(at -> String.valueOf(at.toEpochMilli())).orElse("");
    }

    private static Optional<Instant> time(String millis) {
        return millis.isEmpty() ? Optional.empty() : Optional.of(Instant.ofEpochMilli(Long.parseLong(millis)));
    }

    /** On one line, without tabs, and short. */
    private static String printable(String text) {
        byte[] shown = LockKey.printable(text).strip().getBytes(StandardCharsets.UTF_8);
        return new String(shown, 0, Math.min(shown.length, MAX_TEXT_BYTES), StandardCharsets.UTF_8);
    }
}
