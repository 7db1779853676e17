package io.holdfast.lock.spring.jobs;

import io.holdfast.lock.api.LockException;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LockedCallable;
import io.holdfast.lock.spring.aop.JobCalls;
import io.holdfast.lock.spring.jobs.Job.View;
import io.holdfast.lock.spring.jobs.JobRun.Outcome;
import io.holdfast.lock.threads.Uninterrupted;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call of a job.
 *
 * <pre>
 *   read the state ── taken? skipped, with this one call
 *     └─ try to acquire the lock ── held? skipped, and called again later
 *          └─ read the state as the holder ── taken meanwhile? released
 *               └─ save the run ── the method ── save its end ── release
 * </pre>
 *
 * <p>The run is saved before the method begins: if the reply is lost, the method does not run, and the run is taken over as one that was
 * lost. Its end is saved while the lock is held, and saving is repeated for up to a lease: a run that succeeded is run again only if its
 * end could not be saved by then, or the lock was lost. Whatever goes wrong, this instance calls the method again later, so that the job
 * does not depend on another one.
 *
 * <p>A call from inside the run gets the lock once more, since locks are reentrant, and finds the run with its own fencing token: it is
 * skipped, whereas a run with a lower token is lost.
 */
final class JobCall implements JobCalls.Call {

    private static final Logger log = LoggerFactory.getLogger(JobCall.class);

    private static final ThreadLocal<@Nullable JobRun> CURRENT = new ThreadLocal<>();
    private static final long SAVE_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Job job;
    private final LockRequest request;
    private final LockTemplate locks;
    private @Nullable Begun begun;

    /** What {@link #run} needs. */
    private record Begun(LockHandle lock, JobState state, View view) {}

    JobCall(Job job, LockRequest request, LockTemplate locks) {
        this.job = job;
        this.request = request.waitFor(Duration.ZERO)
                .minHold(Duration.ZERO)
                .withData(job.registry.settings.get().keep());
        this.locks = locks;
    }

    static Optional<JobRun> current() {
        return Optional.ofNullable(CURRENT.get());
    }

    @Override
    public Optional<LockHandle> acquire() {
        try {
            View view = job.view(locks.data(request.key().value()), request);
            Decision decision = job.decide(view, request);
            if (!(decision instanceof Decision.Run due)) {
                job.settle(decision, view, Duration.ZERO);
                return Optional.empty();
            }
            boolean paused = Job.isPaused(locks, request);
            return paused && due.attempt() > 1 ? Optional.empty() : acquire(due, paused);
        } catch (LockStoreException | LockLostException e) {
            job.retryAfter(e);
            throw e;
        }
    }

    private Optional<LockHandle> acquire(Decision.Run due, boolean paused) {
        LockHandle lock;
        try {
            lock = locks.acquire(request);
        } catch (LockNotAcquiredException held) {
            Duration free = held.holder().map(LockHolder::remaining).orElse(job.lease(request));
            Duration poll = job.schedule.pollInterval(due.fireTime()); // by then it may have ended
            job.plan(due.attempt() == 1 && poll.compareTo(free) < 0 ? poll : free);
            return Optional.empty();
        }
        try {
            claim(lock, paused);
        } finally {
            if (begun == null) {
                lock.close();
            }
        }
        return begun == null ? Optional.empty() : Optional.of(lock);
    }

    private void claim(LockHandle lock, boolean paused) {
        View view = job.view(lock.data(), request);
        boolean isInside = view.state()
                .newest()
                .filter(run -> run.is(Outcome.RUNNING) && run.fencingToken() == lock.fencingToken())
                .isPresent();
        Decision decision = isInside ? new Decision.Taken() : job.decide(view, request);
        if (!(decision instanceof Decision.Run due)) {
            job.settle(decision, view, Duration.ZERO);
            return;
        }
        Instant start = view.now();
        JobRun run = new JobRun(
                due.fireTime(),
                due.attempt(),
                paused ? Outcome.SKIPPED : Outcome.RUNNING,
                start,
                Optional.of(start).filter(end -> paused),
                lock.fencingToken(),
                job.registry.instance.get(),
                Optional.empty());
        JobState state = view.state()
                .begin(run, due.makeUpTo(), job.registry.settings.get().history());
        lock.saveData(job.encode(state));
        view.state()
                .newest()
                .filter(lost -> lost.is(Outcome.RUNNING))
                .ifPresent(lost -> job.registry.publish(job.name(), lost.ended(Outcome.LOST, start, Optional.empty())));
        job.registry.publish(job.name(), run);
        begun = paused ? null : new Begun(lock, state, view);
    }

    @Override
    public @Nullable Object run(LockedCallable<@Nullable Object, Throwable> method) throws Throwable {
        Begun run = Objects.requireNonNull(begun, "acquire() has returned no lock");
        JobRun outer = CURRENT.get();
        CURRENT.set(run.state().runs().get(0));
        Throwable failure = null;
        try {
            return method.call();
        } catch (Throwable e) {
            failure = e;
            throw e;
        } finally {
            CURRENT.set(outer);
            ended(run, failure);
        }
    }

    /** If the lock was lost, closing the handle reports that. An instance that has failed lets others try first. */
    private void ended(Begun run, @Nullable Throwable failure) {
        Instant end = run.view().now();
        JobState state = failure == null
                ? run.state().end(Outcome.SUCCEEDED, end, Optional.empty())
                : run.state().end(Outcome.FAILED, end, Optional.of(firstLine(failure)));
        if (!save(run.lock(), state)) {
            job.plan(Job.RETRY);
        } else {
            View view = job.known(new View(state, end, end, System.nanoTime()));
            job.registry.publish(job.name(), state.runs().get(0));
            job.settle(job.decide(view, request), view, failure == null ? Duration.ZERO : job.lease(request));
        }
    }

    private static String firstLine(Throwable failure) {
        String message =
                String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
        return JobState.printable(failure.getClass().getSimpleName() + ": " + message);
    }

    /** Returns false if the lock was lost, or saving has failed for a lease: renewals may succeed where a write is refused. */
    private boolean save(LockHandle lock, JobState state) {
        long start = System.nanoTime();
        while (lock.isHeld()) {
            try {
                lock.saveData(job.encode(state));
                return true;
            } catch (LockException e) {
                if (System.nanoTime() - start > job.lease(request).toNanos()) {
                    log.warn(
                            "The end of a run of job '{}' cannot be saved, so it may run again for {}: {}",
                            job.name(),
                            state.runs().get(0).fireTime(),
                            e.getMessage());
                    return false;
                }
                Uninterrupted.await(new CountDownLatch(1), SAVE_AGAIN_NANOS);
            }
        }
        return false;
    }
}
