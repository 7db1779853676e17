package io.holdfast.lock.spring.autoconfigure.actuate;

import io.holdfast.lock.api.LockData;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockWaiter;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.leader.Term;
import io.holdfast.lock.spring.jobs.JobRun;
import io.holdfast.lock.spring.jobs.JobStatus;
import io.holdfast.lock.spring.leader.LeaderRoles;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The responses of the endpoint. Times are strings in the format of {@code Duration} and {@code Instant}, so they do not depend
 * on the application's JSON mapper.
 */
final class LocksDescriptors {

    private static final String HIDDEN = "******";

    private LocksDescriptors() {}

    /**
     * {@return the key as it is, since clients send it back, for example for a forced release; if keys are hidden, or this one is masked,
     * a text that does not reveal it}
     */
    static String key(LockKey key, boolean shown) {
        return !shown ? HIDDEN : key.isMasked() ? key.toString() : key.value();
    }

    /** In milliseconds, because nobody needs a finer unit. */
    static String text(Duration time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    static String text(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    /** The locks that this client holds or waits for, and its annotated methods. */
    record Locks(
            List<Held> held,
            List<Waiting> waiting,
            @Nullable Long wakeups,
            List<Definition> definitions,
            List<Leader> leadership)
            implements OperationResponseBody {}

    /** A role of this instance. Only the store knows whether another instance leads, and it may not respond. */
    record Leader(
            String role,
            boolean candidate,
            boolean leader,
            @Nullable Long fencingToken,
            @Nullable String since,
            @Nullable String leaderHost,
            @Nullable Long leaderPid,
            @Nullable String leaderClientId) {}

    /**
     * {@return the roles of this instance}
     *
     * @param beans contains the roles, if there is leadership
     * @param withLeaders whether to query the store for the leaders
     */
    static List<Leader> leaders(BeanFactory beans, boolean withLeaders) {
        LeaderRoles roles = beans.getBeanProvider(LeaderRoles.class).getIfUnique();
        return roles == null
                ? List.of()
                : roles.known().stream()
                        .map(each -> describe(each, roles.isCandidate(each), withLeaders))
                        .toList();
    }

    private static Leader describe(Leadership leadership, boolean candidate, boolean withLeader) {
        Optional<Term> term = leadership.term();
        Optional<LockHolder> leader = Optional.empty();
        try {
            leader = withLeader ? leadership.leader() : leader;
        } catch (LockStoreException e) {
            // unknown
        }
        return new Leader(
                leadership.role(),
                candidate,
                term.isPresent(),
                term.map(Term::fencingToken).orElse(null),
                term.map(each -> text(each.since())).orElse(null),
                leader.map(LockHolder::host).orElse(null),
                leader.map(LockHolder::pid).orElse(null),
                leader.map(LockHolder::clientId).orElse(null));
    }

    record Held(
            String key, String name, String mode, long fencingToken, String thread, String heldFor, String remaining) {}

    record Waiting(String key, String name, String mode, String thread, String waitedFor) {}

    /**
     * An annotated method. If a time is missing, the client's default applies, or there is no such limit.
     *
     * @param further the other locks, if it has several annotations; these have no bean, method or times
     */
    record Definition(
            @Nullable String bean,
            @Nullable String method,
            String name,
            List<String> keys,
            String mode,
            @Nullable Integer limit,
            @Nullable Integer weight,
            boolean fair,
            @Nullable String lease,
            @Nullable String waitFor,
            @Nullable String minHold,
            @Nullable String maxHold,
            @Nullable Integer maxWaiting,
            @Nullable List<Definition> further) {}

    /**
     * One lock as the store sees it.
     *
     * @param id the same for the same key as long as this process runs, whether or not the key is shown; null if a single lock is
     *     requested
     * @param longestWait how long the first of the waiters has waited; null if unknown
     * @param queue the first waiters in order; none in a quorum
     * @param data null if there is none, or if it was not requested, as in a list of locks
     */
    record Lock(
            @Nullable String id,
            String key,
            boolean held,
            long lastFencingToken,
            List<Holder> holders,
            int waiters,
            @Nullable String longestWait,
            List<LockWaiter> queue,
            @Nullable Data data)
            implements OperationResponseBody {}

    /**
     * What a holder has left with a lock.
     *
     * @param size in bytes
     * @param age by the clock of the store
     * @param content as text in UTF-8; null if it is not to be shown
     */
    record Data(int size, String age, @Nullable String content) {}

    /** {@return the data; null if there is none} */
    static @Nullable Data data(LockData data, boolean withContent) {
        return data.bytes()
                .map(bytes -> new Data(
                        bytes.length,
                        text(Duration.between(data.savedAt().orElseThrow(), data.readAt())),
                        withContent ? new String(bytes, StandardCharsets.UTF_8) : null))
                .orElse(null);
    }

    /** {@return a lock, under the key to be shown} */
    static Lock lock(@Nullable String id, String key, LockStatus status, @Nullable Data data) {
        return new Lock(
                id,
                key,
                status.isHeld(),
                status.lastFencingToken(),
                holders(status.holders()),
                status.waiters(),
                status.longestWait().isZero() ? null : text(status.longestWait()),
                status.queue(),
                data);
    }

    /**
     * A holder of a lock.
     *
     * @param traceId the trace in which it requested the lock; null if that is unknown
     */
    record Holder(
            String clientId,
            String host,
            long pid,
            String thread,
            String mode,
            String since,
            String remaining,
            long fencingToken,
            boolean keptByMinHold,
            @Nullable String traceId) {}

    static List<Holder> holders(List<LockHolder> holders) {
        return holders.stream()
                .map(each -> new Holder(
                        each.clientId(),
                        each.host(),
                        each.pid(),
                        each.thread(),
                        each.mode().name(),
                        text(each.since()),
                        text(each.remaining()),
                        each.fencingToken(),
                        each.keptByMinHold(),
                        each.traceId().orElse(null)))
                .toList();
    }

    /**
     * One page of all locks.
     *
     * @param time when the scan ended
     * @param unreadable how many locks could not be read
     * @param total how many locks match
     * @param instance the application instance that responds
     * @param lateRenewals the number of its locks whose renewal is overdue
     * @param responseTime how long the store took to respond to a single call
     */
    record Report(
            String time,
            boolean complete,
            int unreadable,
            int total,
            int page,
            int size,
            Instance instance,
            int lateRenewals,
            String responseTime,
            List<Lock> locks,
            List<Deadlock> deadlocks,
            List<Wait> nestedWaits,
            List<Event> events)
            implements OperationResponseBody {}

    /** The application instance that responds. */
    record Instance(String clientId, String host, long pid) {}

    /** @param waits each waits for the next one, and the last one for the first */
    record Deadlock(List<Wait> waits) {}

    /** A thread that waits for one lock while it holds others. */
    record Wait(
            String clientId,
            String host,
            long pid,
            String thread,
            String key,
            String id,
            String waitedFor,
            List<HeldKey> holds) {}

    record HeldKey(String key, String id) {}

    /** Something that happened to a lock of this instance. */
    record Event(
            String type,
            String time,
            String key,
            String id,
            @Nullable String cause,
            @Nullable String thread,
            String host,
            long fencingToken) {}

    /** The jobs of this application. */
    record JobList(List<Job> jobs) implements OperationResponseBody {}

    /** A job, for all instances. See {@link JobStatus}. */
    record Job(
            String name,
            String method,
            String schedule,
            @Nullable String nextFireTime,
            boolean paused,
            List<Run> runs) implements OperationResponseBody {

        /** @param withMessages whether to show more of a failure than its type */
        static Job of(JobStatus job, boolean withMessages) {
            return new Job(
                    job.name(),
                    job.method(),
                    job.schedule(),
                    job.nextFireTime().map(LocksDescriptors::text).orElse(null),
                    job.paused(),
                    job.runs().stream().map(each -> Run.of(each, withMessages)).toList());
        }
    }

    /** A run of a job. See {@link JobRun}. */
    record Run(
            String fireTime,
            int attempt,
            String outcome,
            String start,
            @Nullable String end,
            long fencingToken,
            String instance,
            @Nullable String failure) {

        private static Run of(JobRun run, boolean withMessage) {
            return new Run(
                    text(run.fireTime()),
                    run.attempt(),
                    run.outcome().name(),
                    text(run.start()),
                    run.end().map(LocksDescriptors::text).orElse(null),
                    run.fencingToken(),
                    run.instance(),
                    run.failure()
                            .map(failure -> withMessage ? failure : failure.split(":", 2)[0])
                            .orElse(null));
        }
    }

    /** The result of a forced release. */
    record Released(String key, List<Holder> released) implements OperationResponseBody {}

    record Problem(String error) implements OperationResponseBody {}
}
