package io.holdfast.lock.spring.jobs;

import io.holdfast.lock.spring.jobs.JobRun.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

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
 * FireTimes#EARLY} (the clock was set back), names the previous fire time, which is taken; then the next one is less than half a period
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
 * @param lease the lease of its lock
 * @param attempts how many runs for one fire time may fail
 * @param retryAfter the time from a failure to the next attempt
 */
record JobRules(Schedule schedule, Duration lease, int attempts, Duration retryAfter) {

    static final int MAX_LATE_ATTEMPTS = 3;

    /**
     * Decides.
     *
     * @param state what is known of the job
     * @param savedAt when it was saved, on the clock of Redis
     * @param local the time on this instance's clock
     * @param now the same time on the clock of Redis
     */
    Decision decide(JobState state, Instant savedAt, Instant local, Instant now) {
        JobRun newest = state.newest().orElse(null);
        Optional<Instant> latest = schedule instanceof FireTimes fireTimes ? fireTimes.latest(local) : Optional.empty();
        boolean isUnclaimed =
                newest == null || latest.filter(newest.fireTime()::isBefore).isPresent();
        if (newest != null && newest.is(Outcome.RUNNING)) {
            Instant mayBeFree = newest.start().plus(lease);
            if (now.isBefore(mayBeFree)) {
                Instant poll = now.plus(schedule.pollInterval(newest.fireTime()));
                return new Decision.Later(isUnclaimed && poll.isBefore(mayBeFree) ? poll : mayBeFree);
            }
            if (isTakenOver(newest, now)) {
                return new Decision.Run(newest.fireTime(), newest.attempt() + 1, state.makeUpTo());
            }
        }
        if (newest != null && newest.is(Outcome.FAILED) && newest.attempt() < attempts && !isUnclaimed) {
            Instant retry = newest.end().orElse(now).plus(retryAfter);
            boolean isSooner =
                    !(schedule instanceof Schedule.Delay fixed) || retry.isBefore(savedAt.plus(fixed.delay()));
            if (isSooner) {
                return now.isBefore(retry)
                        ? new Decision.Later(retry)
                        : new Decision.Run(newest.fireTime(), newest.attempt() + 1, state.makeUpTo());
            }
        }
        if (schedule instanceof Schedule.Delay fixed) {
            Instant due = newest == null ? now : savedAt.plus(fixed.delay());
            return now.isBefore(due) ? new Decision.Later(due) : new Decision.Run(due, 1, Optional.empty());
        }
        if (latest.isEmpty() || !isUnclaimed) {
            return newest == null ? new Decision.Taken() : taken(newest.fireTime(), local, now);
        }
        Duration ahead = Duration.between(now, latest.get());
        if (ahead.compareTo(schedule.tolerance(latest.get())) > 0) {
            return new Decision.Ahead(latest.get(), ahead);
        }
        return newest == null
                ? new Decision.Run(latest.get(), 1, Optional.empty())
                : firstUnclaimed(newest.fireTime(), state.makeUpTo(), latest.get(), now);
    }

    private boolean isTakenOver(JobRun lost, Instant now) {
        Instant tooLate = lost.start().plus(lease.multipliedBy(3));
        return schedule.next(lost.fireTime()).map(now::isBefore).orElse(true)
                || (lost.attempt() < MAX_LATE_ATTEMPTS && now.isBefore(tooLate));
    }

    private Decision taken(Instant newest, Instant local, Instant now) {
        Instant next = schedule.next(newest).orElse(Instant.MAX);
        Duration left = Duration.between(local, next);
        return left.compareTo(Duration.between(newest, next).dividedBy(2)) < 0
                ? new Decision.Later(now.plus(left))
                : new Decision.Taken();
    }

    /** The latest fire time, or one before it that is made up. */
    private Decision.Run firstUnclaimed(Instant newest, Optional<Instant> makeUpTo, Instant latest, Instant now) {
        Instant oldest = now.minus(lease.multipliedBy(2)).minusMillis(1);
        Instant first = schedule.next(newest.isAfter(oldest) ? newest : oldest).orElse(latest);
        Instant end = makeUpTo.orElse(latest.plus(Duration.between(first, latest)));
        return first.isBefore(latest) && !first.isAfter(end)
                ? new Decision.Run(first, 1, Optional.of(end))
                : new Decision.Run(latest, 1, Optional.empty());
    }
}
