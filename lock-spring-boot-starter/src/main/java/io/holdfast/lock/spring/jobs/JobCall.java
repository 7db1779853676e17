package io.holdfast.lock.spring.jobs;

import io.holdfast.lock.api.LockException;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
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
 *     └─ try to acquire the lock ── held? skipped; this instance looks again later
 *          └─ read the state as the holder ── taken meanwhile? released
 *               └─ save the run ── the method ── save its end ── release
 * </pre>
 *
 * <p>The run is saved before the method begins: if the reply is lost, the method does not run, and the run is taken over as one that was
 * lost. Its end is saved while the lock is held, and saving is repeated for up to a lease: a run that succeeded is run again only if its
 * end could not be saved by then, or the lock was lost. Whatever goes wrong, this instance looks again later, so that the job does not
 * depend on another one.
 *
 * <p>A call from inside the run gets the lock once more, since locks are reentrant, and finds the run with its own fencing token: it is
 * skipped, whereas a run with a lower token is lost.
 */
final class JobCall implements JobCalls.Call {

    private static final Logger log = LoggerFactory.getLogger(JobCall.class);

    static final ThreadLocal<@Nullable JobRun> CURRENT = new ThreadLocal<>();
    private static final long SAVE_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Job job;
    private final LockRequest request;
    private @Nullable Begun begun;

    /** What {@link #run} needs. */
    private record Begun(LockHandle lock, JobState state, View view) {}

    JobCall(Job job, LockRequest request) {
        this.job = job;
        this.request = request.waitFor(Duration.ZERO).minHold(Duration.ZERO).withData(job.registry.settings.keep());
    }

    @Override
    public Optional<LockHandle> acquire() {
        try {
            if (job.due(job.view(request), request).isPresent()) {
                return claim(job.isPaused());
            }
            log.debug("A call of job '{}' is skipped: its fire time has been claimed, or is not due", job.name());
            return Optional.empty();
        } catch (LockNotAcquiredException held) {
            job.plan(held.holder().map(LockHolder::remaining).orElse(job.lease(request)));
            return Optional.empty();
        } catch (LockException e) {
            job.plan(Job.RETRY);
            throw e;
        }
    }

    private Optional<LockHandle> claim(boolean paused) {
        LockHandle lock = job.registry.locks.get().acquire(request);
        try {
            begun = begin(lock, paused);
        } finally {
            if (begun == null) {
                lock.close();
            }
        }
        return Optional.ofNullable(begun).map(Begun::lock);
    }

    private @Nullable Begun begin(LockHandle lock, boolean paused) {
        View view = job.view(lock.data(), request);
        JobState found = view.state();
        Optional<JobRun> open = found.newest().filter(each -> each.outcome() == Outcome.RUNNING);
        boolean isInside = open.map(JobRun::fencingToken).equals(Optional.of(lock.fencingToken()));
        Decision.Run due = isInside ? null : job.due(view, request).orElse(null);
        if (due == null) {
            return null;
        }
        Instant start = view.now();
        JobRun running = JobRun.begun(due, start, lock.fencingToken(), job.rules.instance());
        JobRun run = paused ? running.ended(Outcome.SKIPPED, start, Optional.empty()) : running;
        JobState before = open.isPresent() ? found.end(Outcome.LOST, start, Optional.empty()) : found;
        JobState state = before.begin(run, due.makeUpTo(), job.registry.settings.history());
        lock.saveData(state.encode(job.registry.settings.maxDataSize()));
        open.ifPresent(lost -> job.registry.publish(job.name(), before.runs().get(0)));
        job.registry.publish(job.name(), run);
        return paused ? null : new Begun(lock, state, view);
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

    /** If the lock was lost, closing the handle reports that. */
    private void ended(Begun run, @Nullable Throwable failure) {
        Instant end = run.view().now();
        Outcome outcome = failure == null ? Outcome.SUCCEEDED : Outcome.FAILED;
        JobState state =
                run.state().end(outcome, end, Optional.ofNullable(failure).map(JobCall::firstLine));
        if (!save(run.lock(), state)) {
            job.plan(Job.RETRY);
            return;
        }
        job.noteSuccess(state, end);
        job.registry.publish(job.name(), state.runs().get(0));
        View after = new View(state, end, end, System.nanoTime());
        job.due(after, request).ifPresent(next -> job.plan(Duration.ZERO));
    }

    private static String firstLine(Throwable failure) {
        return failure.getClass().getSimpleName() + ": "
                + String.valueOf(failure.getMessage()).split("\\R", 2)[0];
    }

    /** Returns false if the lock was lost, or saving has failed for a lease: renewals may succeed where a write is refused. */
    private boolean save(LockHandle lock, JobState state) {
        long start = System.nanoTime();
        while (lock.isHeld()) {
            try {
                lock.saveData(state.encode(job.registry.settings.maxDataSize()));
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
