package io.holdfast.lock.spring.result;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Holds a lock until the stage that a method returned is complete. The caller gets a future of its own, which completes
 * after the lock was released, and with the loss if the lock was lost.
 *
 * <p>Giving a lock back talks to the store, so it does not happen on the thread that completes the stage, which may be
 * an event loop, but on threads kept here. They are daemons that end when idle, so there is nothing to close.
 */
public final class StageLock {

    private static final long IDLE_SECONDS = 10;

    private final Executor releases = new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), StageLock::daemon);

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "lock-release");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Runs the method, and returns before its lock is released.
     *
     * @param handle the lock
     * @param invocation the method
     * @return the stage that completes after the lock was released
     * @throws Throwable what the method throws; the lock is released then
     */
    public @Nullable Object hold(LockHandle handle, MethodInvocation invocation) throws Throwable {
        CompletionStage<?> stage;
        try {
            stage = (CompletionStage<?>) invocation.proceed();
        } catch (Throwable failure) {
            throw closed(handle, failure);
        }
        if (stage == null) {
            handle.close();
            return null;
        }
        handle.detach();
        return follow(stage, handle);
    }

    private <T> CompletableFuture<T> follow(CompletionStage<T> stage, LockHandle handle) {
        CompletableFuture<T> result = new CompletableFuture<>();
        stage.whenCompleteAsync((value, failure) -> complete(result, value, closing(handle, failure)), releases);
        var unused = result.whenComplete((value, failure) -> {
            if (result.isCancelled() && stage instanceof CompletableFuture<T> source) {
                source.cancel(true);
            }
        });
        return result;
    }

    @SuppressWarnings("NullAway") // the stage's own value, null only if T allows it
    private static <T> void complete(CompletableFuture<T> result, @Nullable T value, @Nullable Throwable failure) {
        if (failure == null) {
            result.complete(value);
        } else {
            result.completeExceptionally(failure);
        }
    }

    private static @Nullable Throwable closing(LockHandle handle, @Nullable Throwable failure) {
        if (failure != null) {
            return closed(handle, failure);
        }
        try {
            handle.close();
            return null;
        } catch (RuntimeException | Error e) {
            return e;
        }
    }

    /** Closes after a failure; if the lock was lost, that is what counts, with the failure suppressed inside. */
    private static Throwable closed(LockHandle handle, Throwable failure) {
        try {
            handle.close();
            return failure;
        } catch (LockLostException lost) {
            boolean told = failure instanceof LockLostException known && known.fencingToken() == lost.fencingToken();
            return told ? failure : lost.suppressing(failure);
        } catch (RuntimeException | Error e) {
            e.addSuppressed(failure);
            return e;
        }
    }
}
