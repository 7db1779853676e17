package io.holdfast.lock.spring.result;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.store.DaemonThreads;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/**
 * Holds locks until the futures, stages and publishers that locked methods return are complete.
 *
 * <p>Releasing a lock calls the store, so it does not happen on the thread that completes the work, which may be an event loop,
 * but on a few threads of this class or of the lock client that do nothing else. Code that waits for the result continues on
 * other threads, and may block. All of these are daemons that end when idle, and when this object is closed; later tasks run on
 * the thread that submits them.
 */
public final class AsyncResults implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(AsyncResults.class);

    /** Fewer than the connections of a store, so that many results that complete at once do not compete for these. */
    private static final int RELEASING_THREADS = 8;

    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofMillis(500);

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.scheduler.Schedulers", AsyncResults.class.getClassLoader());

    private final ExecutorService threads = DaemonThreads.pool(Integer.MAX_VALUE, "holdfast-result");

    /** Further tasks wait in a queue, so nothing that blocks for long may run here. */
    private final ExecutorService releasing = DaemonThreads.pool(RELEASING_THREADS, "holdfast-release");

    private final Executor results = task -> DaemonThreads.executeOrRun(threads, task);

    /** Ends idle threads, and waits for busy ones for at most half a second; these end when they are done. */
    @Override
    public void close() {
        boolean ended = DaemonThreads.end(SHUTDOWN_TIMEOUT, releasing, threads);
        log.trace("Threads for results have ended: {}", ended);
    }

    /**
     * Runs the method under its lock, now or, if it returns a publisher, on each subscription.
     *
     * @param kind what the method returns; not {@link ResultKind#VALUE}
     * @param call the call
     * @return what the caller gets; it completes after the lock has been released
     * @throws Throwable what the method or the refusal throws
     */
    public @Nullable Object run(ResultKind kind, AsyncCall call) throws Throwable {
        return switch (kind) {
            case STAGE -> stage(call);
            case SUSPENDED -> Objects.requireNonNull(SuspendSupport.PROVIDED).run(call);
            default -> new PublisherLock(call.kept(), results).locked();
        };
    }

    /**
     * The caller's thread waits for the lock and runs the method, as for any locked method, so that locks are reentrant. The
     * caller gets a separate future, which completes after the lock has been released, exceptionally with the loss if the lock
     * was lost.
     */
    @SuppressWarnings({"FutureReturnValueIgnored", "NullAway"}) // the caller's future; proceed() may return null
    private @Nullable Object stage(AsyncCall call) throws Throwable {
        if (REACTOR && Schedulers.isInNonBlockingThread()) {
            throw new IllegalStateException(call.caller() + " would wait for its lock on "
                    + Thread.currentThread().getName() + ", a thread that must not block. Return a Mono, which is"
                    + " locked without waiting, or call the method on another thread.");
        }
        LockHandle lock;
        try {
            lock = required(call.template().get().acquire(call.request()), "acquire");
        } catch (RuntimeException failure) {
            return Objects.requireNonNullElseGet(
                    call.rules().refused(failure), () -> CompletableFuture.completedFuture(null));
        }
        Object result;
        try {
            result = call.rules().run(lock, call.invocation()::proceed);
        } catch (Throwable failure) {
            throw Objects.requireNonNull(close(lock, call, failure));
        }
        if (result instanceof CompletionStage<?> stage) {
            return follow(stage, lock, call);
        }
        Throwable unfollowed = result instanceof Future<?> future && !future.isDone() ? unfollowed(future, null) : null;
        Throwable failure = close(lock, call, unfollowed);
        if (failure != null) {
            throw failure;
        }
        return result;
    }

    private static IllegalStateException unfollowed(Object result, @Nullable Throwable refusal) {
        return new IllegalStateException(
                "The lock was released although its work may still be running, because "
                        + result.getClass().getName() + " accepts no dependents. Return a CompletableFuture instead.",
                refusal);
    }

    private <T> CompletableFuture<T> follow(CompletionStage<T> stage, LockHandle lock, AsyncCall call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            detach(lock, stage, call);
            stage.whenCompleteAsync(
                    (value, failure) -> {
                        Throwable outcome = close(lock, call, failure);
                        results.execute(() -> complete(result, value, outcome));
                    },
                    release -> DaemonThreads.executeOrRun(releasing, release));
        } catch (Throwable refusal) {
            return CompletableFuture.failedFuture(close(lock, call, unfollowed(stage, refusal)));
        }
        var unused = result.whenComplete((value, failure) -> {
            if (result.isCancelled()) {
                cancel(stage);
            }
        });
        return result;
    }

    /** The method may have closed its handle; then there is nothing to pass on. */
    private static void detach(LockHandle lock, CompletionStage<?> stage, AsyncCall call) {
        try {
            lock.detach();
            if (call.request().interruptOnLoss()) {
                lock.onLost(loss -> cancel(stage));
            }
        } catch (IllegalStateException closedByTheMethod) {
            log.debug("{} was closed before its work was complete", lock, closedByTheMethod);
        }
    }

    private static void cancel(CompletionStage<?> stage) {
        stage.toCompletableFuture().cancel(true);
    }

    /** Closes the handle; returns the failure to report to the caller. */
    private static @Nullable Throwable close(LockHandle lock, AsyncCall call, @Nullable Throwable own) {
        try {
            lock.close();
            return own;
        } catch (RuntimeException | Error failure) {
            return call.rules().outcome(own, failure);
        }
    }

    @SuppressWarnings("NullAway") // the stage's own value, null only if T allows it
    static <T> void complete(CompletableFuture<T> result, @Nullable T value, @Nullable Throwable failure) {
        if (failure == null) {
            result.complete(value);
        } else {
            result.completeExceptionally(failure);
        }
    }

    /**
     * {@return the result, which must not be null} A mock without stubs returns null.
     *
     * @param answer the result of the template
     * @param method the method of the template
     * @throws IllegalStateException if it is null
     */
    public static <T> T required(@Nullable T answer, String method) {
        if (answer == null) {
            throw notAsked(method, "returned null");
        }
        return answer;
    }

    /** The failure of a call whose future completed although its work never began. */
    static IllegalStateException withoutWork(String method) {
        return notAsked(method, "completed without calling the work");
    }

    private static IllegalStateException notAsked(String method, String problem) {
        return new IllegalStateException("LockTemplate." + method + " " + problem
                + ", so the method was not called. If the template is a mock, stub " + method
                + "; or use @AutoConfigureTestLocks from lock-spring-boot-test, which needs no Redis.");
    }
}
