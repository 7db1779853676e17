package io.holdfast.lock.spring.jobs;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockData;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.spring.definition.LockOperation;
import io.holdfast.lock.spring.jobs.JobRun.Outcome;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.scheduling.support.ScheduledMethodRunnable;

/**
 * A job on this instance: what is known of it, and when this instance looks whether it is due, besides the schedule.
 *
 * <p>Each look, by a call or on its own, ends with a {@link Decision}. If that is to decide again later (a run may fail or die, a fire time
 * may come soon), or if none can be made, since Redis does not respond, the next look is planned. A look decides from the state of the job
 * then, so it needs no memory of why it was planned, and one plan for each job is enough: of two, the earlier one is kept, whose look plans
 * the other one again. If the job is due, the look calls the method, through the proxy of its bean as Spring does. A plan is replaced, not
 * cancelled: a timer that finds no plan due does nothing.
 *
 * <p>So whichever instance was called for a fire time looks after it until it has been run. One that starts later looks once, and then does
 * the same.
 */
final class Job {

    private static final Logger log = LoggerFactory.getLogger(Job.class);

    static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration MARGIN = Duration.ofMillis(20);

    final JobRegistry registry;
    final JobRules rules;
    private final LockOperation operation;
    volatile Object bean;

    /** The end of the last successful run, on the monotonic clock of this instance. */
    private volatile @Nullable Long successNanos;
    /** Of the last successful run. */
    private volatile Duration lastLength = Duration.ZERO;

    private volatile @Nullable LockRequest latest;
    private @Nullable Long plannedNanos;

    Job(JobRegistry registry, LockOperation operation, JobRules rules, Object bean, @Nullable LockRequest request) {
        this.registry = registry;
        this.operation = operation;
        this.rules = rules;
        this.bean = bean;
        this.latest = request;
    }

    /**
     * The state of a job, as read at one time.
     *
     * @param savedAt when it was saved, on the clock of Redis
     * @param readAt when it was read, on the clock of Redis
     * @param readNanos the same on the monotonic clock of this instance
     */
    record View(JobState state, Instant savedAt, Instant readAt, long readNanos) {

        /** {@return the time of Redis now, or slightly earlier, in milliseconds} */
        Instant now() {
            return readAt.plusNanos(System.nanoTime() - readNanos).truncatedTo(ChronoUnit.MILLIS);
        }
    }

    String name() {
        return operation.name();
    }

    boolean isSame(Job other) {
        LockRequest own = latest;
        LockRequest others = other.latest;
        return operation.method().equals(other.operation.method())
                && (JobRegistry.targetOf(bean) == JobRegistry.targetOf(other.bean)
                        || (own != null && others != null && own.key().equals(others.key())));
    }

    /** What calls lock: as the latest one, or as one would now. */
    private LockRequest request() {
        return Objects.requireNonNullElseGet(latest, () -> registry.request(operation, JobRegistry.targetOf(bean)));
    }

    Duration lease(LockRequest request) {
        return request.lease().orElse(registry.settings.lease());
    }

    View view(LockRequest request) {
        return view(registry.locks.get().data(request.key().value()), request);
    }

    /** The data of the lock, as read by its holder, or else by anybody. */
    View view(LockData data, LockRequest request) {
        latest = request;
        JobState state =
                data.bytes().map(bytes -> JobState.decode(name(), bytes)).orElse(JobState.NONE);
        noteSuccess(state, data.readAt());
        return new View(state, data.savedAt().orElse(Instant.EPOCH), data.readAt(), System.nanoTime());
    }

    /** For {@link #sinceSuccess}, given the time of Redis. */
    void noteSuccess(JobState state, Instant now) {
        state.runs().stream()
                .filter(run -> run.outcome() == Outcome.SUCCEEDED)
                .findFirst()
                .ifPresent(run -> {
                    Instant end = run.end().orElse(run.start());
                    successNanos =
                            System.nanoTime() - Duration.between(end, now).toNanos();
                    lastLength = Duration.between(run.start(), end);
                });
    }

    Optional<Duration> sinceSuccess() {
        return Optional.ofNullable(successNanos).map(end -> Duration.ofNanos(System.nanoTime() - end));
    }

    /** See {@link JobObserver#found}. */
    Optional<Duration> sinceDue() {
        Schedule schedule = rules.schedule();
        Instant local = registry.clock.instant();
        return schedule instanceof Schedule.Delay fixed
                ? Optional.of(fixed.period().plus(lastLength).multipliedBy(2))
                : schedule.lastButOne(local).map(due -> Duration.between(due, local));
    }

    /** {@return the run that is due; if none is, plans what follows from that} */
    Optional<Decision.Run> due(View view, LockRequest request) {
        Instant local = registry.clock.instant();
        Decision decision = rules.decide(view.state(), view.savedAt(), lease(request), local, view.now());
        if (decision instanceof Decision.Later again) {
            plan(Duration.between(view.now(), again.at()));
        } else if (decision instanceof Decision.Ahead early) {
            log.warn(
                    "Job '{}' is not run for {}, which is still {} in the future on the clock of Redis. Synchronize"
                            + " the clocks of this instance and of Redis",
                    name(),
                    early.fireTime(),
                    DurationText.of(early.ahead()));
            plan(early.ahead());
        }
        return decision instanceof Decision.Run run ? Optional.of(run) : Optional.empty();
    }

    /** Looks again after the given time, or earlier if that is planned. */
    synchronized void plan(Duration after) {
        long nanos = Math.max(0, after.plus(MARGIN).toNanos());
        long due = System.nanoTime() + nanos;
        boolean isSooner = plannedNanos == null || plannedNanos - due > 0;
        if (isSooner && registry.after(nanos, this::lookIfPlanned)) {
            plannedNanos = due;
        }
    }

    synchronized void forgetPlan() {
        plannedNanos = null;
    }

    private void lookIfPlanned() {
        synchronized (this) {
            if (plannedNanos == null || plannedNanos - System.nanoTime() > 0) {
                return;
            }
            plannedNanos = null;
        }
        look(due -> true, () -> plan(RETRY));
    }

    /** Looks after a run that has died or failed; claims a fire time only to catch up. */
    void start() {
        Instant local = registry.clock.instant();
        look(due -> rules.isRunAtStart(due, local), () -> registry.after(RETRY.toNanos(), this::start));
    }

    private void look(Predicate<Decision.Run> isWanted, Runnable again) {
        try {
            LockRequest request = request();
            due(view(request), request).filter(isWanted).ifPresent(run -> call());
        } catch (LockStoreException e) {
            log.debug("Job '{}' will be looked at again", name(), e);
            again.run();
        }
    }

    private void call() {
        try {
            Object called = bean;
            Method method = AopUtils.selectInvocableMethod(operation.method(), called.getClass());
            new ScheduledMethodRunnable(called, method).run();
        } catch (Throwable e) {
            log.error("Unexpected error in job '{}'", name(), e);
        }
    }

    /** The pause is the data of another lock, so that it can begin during a run. It is that of all jobs of this name, whatever their keys. */
    private String pauseKey() {
        return name() + ":job-paused";
    }

    boolean isPaused() {
        Optional<byte[]> data = registry.locks.get().data(pauseKey()).bytes();
        return data.isPresent() && data.get().length > 0;
    }

    void pause(boolean paused) {
        byte[] data = paused ? new byte[] {1} : new byte[0];
        LockRequest guard = LockRequest.of(pauseKey()).withData(LockRequest.MAX_TIME);
        registry.locks.get().execute(guard, (LockHandle lock) -> lock.saveData(data));
    }

    JobStatus status() {
        LockRequest request = request();
        JobState state = view(request).state();
        Optional<Instant> next = rules.schedule() instanceof Schedule.Delay fixed
                ? state.newest().flatMap(JobRun::end).map(end -> end.plus(fixed.period()))
                : rules.schedule().next(registry.clock.instant());
        return new JobStatus(name(), operation.caller(), rules.schedule().toString(), next, isPaused(), state.runs());
    }
}
