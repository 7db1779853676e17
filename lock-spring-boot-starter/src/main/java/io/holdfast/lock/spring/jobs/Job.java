package io.holdfast.lock.spring.jobs;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockData;
import io.holdfast.lock.api.LockException;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.definition.LockOperation;
import io.holdfast.lock.spring.jobs.JobRun.Outcome;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A job on this instance: what is known of it, and when its method is called besides the schedule.
 *
 * <p>Each call ends with a {@link Decision}. If that is to decide again later (a run may fail or die, a fire time may come soon), or if
 * none can be made or recorded, since Redis does not respond, this instance calls the method again by itself, through the proxy of its bean
 * as Spring does. The call decides from the state of the job then, so it needs no memory of why it was planned, and one plan for each job
 * is enough: of two, the earlier one is kept, whose call plans the other one again. At most one such call runs at a time; one that comes
 * due meanwhile follows it. A plan is replaced, not cancelled: a timer that finds no plan due does nothing.
 *
 * <p>So whichever instance was called for a fire time looks after it until it has been run. One that starts later looks once, and then does
 * the same.
 */
final class Job {

    private static final Logger log = LoggerFactory.getLogger(Job.class);

    static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration MARGIN = Duration.ofMillis(20);
    private static final String PAUSED = ":job-paused";

    final JobRegistry registry;
    final LockOperation operation;
    final Schedule schedule;
    private final JobSettings.OfJob settings;
    private final Object bean;
    private final Object target;
    private volatile @Nullable Supplier<Duration> sinceSuccess;
    private volatile @Nullable LockRequest latest;
    /** The latest exception of a call that ended before its run began, and so is no failure of the job. */
    private volatile @Nullable LockException refusal;

    private @Nullable Long plannedNanos;
    private boolean isCalling;

    Job(JobRegistry registry, LockOperation operation, Schedule schedule, JobSettings.OfJob settings, Object bean) {
        this.registry = registry;
        this.operation = operation;
        this.schedule = schedule;
        this.settings = settings;
        this.bean = bean;
        this.target = JobRegistry.targetOf(bean);
    }

    /**
     * The state of a job, as read at one time.
     *
     * @param savedAt when it was saved, on the clock of Redis
     * @param readAt when it was read, on the clock of Redis
     * @param readNanos the same on the monotonic clock of this instance
     */
    record View(JobState state, Instant savedAt, Instant readAt, long readNanos) {

        /** {@return the time of Redis now, or slightly earlier} */
        Instant now() {
            return readAt.plusNanos(System.nanoTime() - readNanos);
        }
    }

    String name() {
        return operation.name();
    }

    boolean isOf(Method method, Object object) {
        return target == object && operation.method().equals(method);
    }

    byte[] encode(JobState state) {
        return state.encode(registry.settings.get().maxDataSize());
    }

    /** What calls lock: as the latest one, whose request customizers may have changed, or as one would now. */
    private LockRequest request() {
        LockRequest known = latest;
        return known == null ? operation.request(operation.scope().call(target, new Object[0])) : known;
    }

    Duration lease(LockRequest request) {
        return request.lease().orElse(registry.settings.get().lease());
    }

    View view(LockData data, LockRequest request) {
        latest = request;
        try {
            JobState state = data.bytes().map(JobState::decode).orElse(JobState.NONE);
            return known(new View(state, data.savedAt().orElse(Instant.EPOCH), data.readAt(), System.nanoTime()));
        } catch (RuntimeException e) {
            String problem =
                    "The data of the lock of job '" + name() + "' is not that of a job, or of a later version: ";
            String action = ". Give the job a name that nothing else uses, or update this instance.";
            throw new IllegalStateException(problem + e.getMessage() + action, e);
        }
    }

    View known(View view) {
        view.state().runs().stream()
                .filter(run -> run.is(Outcome.SUCCEEDED))
                .findFirst()
                .flatMap(JobRun::end)
                .ifPresent(end -> sinceSuccess = () -> Duration.between(end, view.now()));
        return view;
    }

    Optional<Duration> sinceSuccess() {
        return Optional.ofNullable(sinceSuccess).map(Supplier::get);
    }

    Decision decide(View view, LockRequest request) {
        return new JobRules(schedule, lease(request), settings.attempts(), settings.retryAfter())
                .decide(view.state(), view.savedAt(), registry.clock.get().instant(), view.now());
    }

    /** Plans what follows from a decision. */
    void settle(Decision decision, View view, Duration later) {
        if (decision instanceof Decision.Run) {
            plan(Duration.ZERO);
        } else if (decision instanceof Decision.Later again) {
            plan(Duration.between(view.now(), again.at()).plus(later));
        } else if (decision instanceof Decision.Ahead early) {
            Duration tolerance = schedule.tolerance(early.fireTime());
            String ahead = DurationText.of(early.ahead());
            log.warn(
                    "Job '{}' is not run for {}, which is still {} in the future on the clock of Redis. Synchronize"
                            + " the clocks of this instance and of Redis",
                    name(),
                    early.fireTime(),
                    ahead);
            plan(early.ahead().minus(tolerance));
        }
    }

    /** Calls the method after the given time, or earlier if that is planned. */
    synchronized void plan(Duration after) {
        long nanos = Math.max(0, after.plus(MARGIN).toNanos());
        long due = System.nanoTime() + nanos;
        boolean isSooner = plannedNanos == null || plannedNanos - due > 0;
        if (isSooner && registry.after(nanos, this::call)) {
            plannedNanos = due;
        }
    }

    /** After a call that could not decide, or whose run has not begun. */
    void retryAfter(LockException failure) {
        refusal = failure;
        plan(RETRY);
    }

    synchronized void forgetPlan() {
        plannedNanos = null;
    }

    private synchronized boolean begin() {
        if (isCalling || plannedNanos == null || plannedNanos - System.nanoTime() > 0) {
            return false;
        }
        plannedNanos = null;
        isCalling = true;
        return true;
    }

    private synchronized void end() {
        isCalling = false;
        registry.after(0, this::call); // a plan may have come due meanwhile
    }

    private void call() {
        if (!begin()) {
            return;
        }
        try {
            Method method = AopUtils.selectInvocableMethod(operation.method(), bean.getClass());
            ReflectionUtils.makeAccessible(method);
            ReflectionUtils.invokeMethod(method, bean);
        } catch (Throwable e) {
            if (e == refusal) {
                log.debug("Job '{}' will be called again", name(), e);
            } else {
                log.error("Unexpected error in job '{}'", name(), e);
            }
        } finally {
            end();
        }
    }

    /** Looks after a run that is in progress or has failed; claims a fire time only to catch up. */
    void start() {
        try {
            LockRequest request = request();
            View view = view(registry.locks().data(request.key().value()), request);
            Decision decision = decide(view, request);
            Instant oldest = registry.clock.get().instant().minus(settings.catchUp());
            boolean acts = (decision instanceof Decision.Run run && run.attempt() == 1)
                    ? !settings.catchUp().isZero() && run.fireTime().isAfter(oldest)
                    : view.state().newest().filter(JobRun::isOpen).isPresent();
            if (acts) {
                settle(decision, view, Duration.ZERO);
            }
        } catch (LockStoreException e) {
            log.debug("Job '{}' will be looked at again", name(), e);
            registry.after(RETRY.toNanos(), this::start);
        }
    }

    /** The pause is the data of another lock, so that it can begin during a run. */
    private static LockKey pauseKey(LockRequest request) {
        return LockKey.of(request.key().value() + PAUSED);
    }

    static boolean isPaused(LockTemplate locks, LockRequest request) {
        return locks.data(pauseKey(request).value())
                .bytes()
                .filter(data -> data.length > 0)
                .isPresent();
    }

    void pause(byte[] data) {
        LockRequest guard = LockRequest.of(pauseKey(request())).withData(LockRequest.MAX_TIME);
        registry.locks().execute(guard, (LockHandle lock) -> lock.saveData(data));
    }

    JobStatus status() {
        LockTemplate locks = registry.locks();
        LockRequest request = request();
        JobState state = view(locks.data(request.key().value()), request).state();
        Optional<Instant> next = schedule instanceof Schedule.Delay fixed
                ? state.newest().flatMap(JobRun::end).map(end -> end.plus(fixed.delay()))
                : schedule.next(registry.clock.get().instant());
        return new JobStatus(
                name(), operation.caller(), schedule.toString(), next, isPaused(locks, request), state.runs());
    }
}
