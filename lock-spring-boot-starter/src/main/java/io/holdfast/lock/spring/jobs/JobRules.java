package io.holdfast.lock.spring.jobs;

import io.holdfast.lock.spring.jobs.JobRun.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether an instance runs a job now: the same rules before it requests the lock, and again once it holds it. Pure.
 *
 * <p><b>Once.</b> The fire time is claimed if it is later than that of the newest run; the holder of the lock writes the claim before it
 * runs. So two claims of one fire time need two holders at once, or a state that is older than the claim: neither exists, since data is
 * read and written by the holder, and a former holder's write no longer arrives. It does not matter when an instance asks, or by how much
 * its clock differs: it names a fire time that was claimed, or is behind the newest, or is the next one.
 *
 * <p><b>Clocks.</b> An instance whose clock is slow names an earlier fire time, which is taken. One whose clock is fast begins early, by
 * the difference; if that is more than the {@linkplain Schedule#tolerance tolerance}, it does not claim at all, not even an earlier fire
 * time, because with a wrong date it would claim all fire times up to then. A timer that fires too early, by more than {@link
 * #EARLY} (the clock was set back), names the previous fire time, which is taken; then the next one is less than half a period
 * away, and the instance decides again when it comes.
 *
 * <p><b>Death.</b> A run without an end is running, or its instance has died: the lock tells. It cannot have expired before the run has
 * lasted for a lease, so nobody requests it before that. The take-over is the next attempt for the same fire time. Once the next fire time
 * has come, that takes its place, as with a failure, since nobody knows how long ago the instance died. A lease may be longer than the
 * period: so a run whose lock may have been free for less than two leases is still taken over then, but only up to {@value
 * #MAX_LATE_ATTEMPTS} attempts, since the job may be what kills its instances.
 *
 * <p><b>Fire times that nobody could claim</b>, because the lock was held, also for an instance that was dead or stood still, or because
 * Redis did not respond, are made up in order, except those older than two leases. A job that needs longer than its period would fall
 * behind for good; so the time for making up is twice what was missed. Those that come after {@link JobState#makeUpTo}, and are not the
 * latest, are dropped. It is forgotten as soon as the latest has been reached.
 *
 * @param schedule when it is due
 * @param attempts how many runs for one fire time may fail
 * @param retryAfter the time from a failure to the next attempt
 * @param catchUp how old a fire time may be that an instance claims when it starts; zero if it claims none
 * @param instance this instance; after a failure, it waits for another lease, at most the {@linkplain Schedule#tolerance tolerance}, so that
 *     others try first
 */
record JobRules(Schedule schedule, int attempts, Duration retryAfter, Duration catchUp, String instance) {

    /** A timer may fire a few milliseconds before the time on the wall clock. */
    static final Duration EARLY = Duration.ofMillis(10);

    static final int MAX_LATE_ATTEMPTS = 3;

    /**
     * Decides.
     *
     * @param state what is known of the job
     * @param savedAt when it was saved, on the clock of Redis
     * @param lease the lease of its lock
     * @param local the time on this instance's clock
     * @param now the same time on the clock of Redis
     */
    Decision decide(JobState state, Instant savedAt, Duration lease, Instant local, Instant now) {
        JobRun newest = state.newest().orElse(null);
        Instant due = due(newest, savedAt, local, now).orElse(null);
        if (newest != null && newest.outcome() == Outcome.RUNNING) {
            Instant mayBeFree = newest.start().plus(lease);
            if (now.isBefore(mayBeFree)) {
                return new Decision.Later(mayBeFree);
            }
            if (isTakenOver(newest, lease, now)) {
                return nextAttempt(newest, state);
            }
        }
        if (newest != null && newest.outcome() == Outcome.FAILED && failures(newest, state) < attempts && due == null) {
            Instant retry = newest.end().orElse(now).plus(retryAfter);
            if (newest.instance().equals(instance)) {
                Duration most = schedule.tolerance(newest.fireTime());
                retry = retry.plus(lease.compareTo(most) < 0 ? lease : most);
            }
            return now.isBefore(retry) ? new Decision.Later(retry) : nextAttempt(newest, state);
        }
        if (due == null) {
            return newest == null ? new Decision.Taken() : taken(newest.fireTime(), savedAt, local, now);
        }
        Duration ahead = Duration.between(now, due);
        if (ahead.compareTo(schedule.tolerance(due)) > 0) {
            return new Decision.Ahead(due, ahead);
        }
        Instant claimed = newest == null ? due : newest.fireTime(); // the first run of a job makes nothing up
        return firstUnclaimed(claimed, state.makeUpTo(), due, now.minus(lease.multipliedBy(2)));
    }

    /** {@return whether an instance that starts runs it: after a death or a failure, or to catch up} */
    boolean isRunAtStart(Decision.Run due, Instant local) {
        Instant latest = schedule.latest(local).orElse(due.fireTime()); // that to make up may be older
        return due.attempt() > 1 || (!catchUp.isZero() && latest.isAfter(local.minus(catchUp)));
    }

    /** Attempts for a fire time, except those that died. */
    private static long failures(JobRun newest, JobState state) {
        return newest.attempt()
                - state.runs().stream()
                        .filter(run -> run.fireTime().equals(newest.fireTime()) && run.outcome() == Outcome.LOST)
                        .count();
    }

    /** {@return the latest fire time, if nobody has claimed it} */
    private Optional<Instant> due(@Nullable JobRun newest, Instant savedAt, Instant local, Instant now) {
        if (schedule instanceof Schedule.Delay fixed) {
            return Optional.of(newest == null ? now : savedAt.plus(fixed.period()))
                    .filter(due -> !due.isAfter(now));
        }
        return schedule.latest(local.plus(EARLY))
                .filter(due -> newest == null || newest.fireTime().isBefore(due));
    }

    private static Decision.Run nextAttempt(JobRun newest, JobState state) {
        return new Decision.Run(newest.fireTime(), newest.attempt() + 1, state.makeUpTo());
    }

    private boolean isTakenOver(JobRun lost, Duration lease, Instant now) {
        Instant tooLate = lost.start().plus(lease.multipliedBy(3));
        return schedule.next(lost.fireTime()).map(now::isBefore).orElse(true)
                || (lost.attempt() < MAX_LATE_ATTEMPTS && now.isBefore(tooLate));
    }

    private Decision taken(Instant newest, Instant savedAt, Instant local, Instant now) {
        if (schedule instanceof Schedule.Delay fixed) {
            return new Decision.Later(savedAt.plus(fixed.period()));
        }
        Instant next = schedule.next(newest).orElse(Instant.MAX);
        Duration left = Duration.between(local, next);
        return left.compareTo(Duration.between(newest, next).dividedBy(2)) < 0
                ? new Decision.Later(now.plus(left))
                : new Decision.Taken();
    }

    /** The latest fire time, or one before it that is made up, after the oldest time for which that is done. */
    private Decision.Run firstUnclaimed(Instant claimed, Optional<Instant> makeUpTo, Instant latest, Instant oldest) {
        Instant first =
                schedule.next(claimed.isAfter(oldest) ? claimed : oldest).orElse(latest);
        Instant end = makeUpTo.orElse(latest.plus(Duration.between(first, latest)));
        return first.isBefore(latest) && !first.isAfter(end)
                ? new Decision.Run(first, 1, Optional.of(end))
                : new Decision.Run(latest, 1, Optional.empty());
    }
}
