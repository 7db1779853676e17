package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.DriverConnections;
import io.holdfast.lock.redis.driver.RedisFailures;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.store.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Connects for the first time. That loads the driver and finds the servers, which on a slow processor takes longer than a command may,
 * however fast Redis is; so it has a limit of its own, and begins before the time of the first command.
 *
 * <p>One attempt at a time, on a thread of its own, so that no caller waits for longer than it wants to. A caller waits for the attempt
 * that is under way, or begins one. If that fails, all who wait for it fail, and the next call begins another. Nothing was sent in
 * either case.
 *
 * <p>{@link #attempt} is guarded by this object, and whoever sets it starts its thread. {@link #open} is set before the attempt
 * completes, and never unset.
 */
final class FirstConnection {

    /** How long a single try waits for an attempt. */
    static final Duration LIMIT = Duration.ofSeconds(10);

    private final DriverConnections connections;
    private volatile Runnable next = () -> {};
    private volatile boolean open;
    private @Nullable Attempt attempt;

    FirstConnection(DriverConnections connections) {
        this.connections = connections;
    }

    private static final class Attempt extends CompletableFuture<@Nullable Void> {
        private final long start = System.nanoTime();

        long millis() {
            return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        }

        boolean mayContinue() {
            return millis() < LIMIT.toMillis();
        }
    }

    /** Registers what to do after the first connection, on its thread; before any call. */
    void then(Runnable action) {
        next = action;
    }

    /** Begins to connect, and does not wait. */
    void begin() {
        if (!open) {
            var unused = attempt();
        }
    }

    /**
     * Returns when there was a connection.
     *
     * @param patience how long this caller waits for it
     * @throws LockStoreException if there is none; with {@link ConnectionsInUseException} as cause if the attempt may yet succeed
     */
    void await(Duration patience) {
        if (!open) {
            await(attempt(), patience);
        }
    }

    private void await(Attempt current, Duration patience) {
        try {
            current.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        } catch (TimeoutException e) {
            throw new LockStoreException(
                    "No command was sent to " + connections.server() + ", because connecting for the first time has"
                            + " taken " + current.millis() + " ms so far. Check that this process gets enough"
                            + " processor time (the CPU limit of its container), and that the server accepts"
                            + " connections.",
                    current.mayContinue() ? ConnectionsInUseException.ofFirstConnection(e) : e,
                    false);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockStoreException("Interrupted while connecting to " + connections.server(), e, false);
        }
    }

    private LockStoreException failure(@Nullable Throwable cause) {
        if (!(cause instanceof RuntimeException failed)) {
            throw new IllegalStateException("The first connection to " + connections.server() + " failed", cause);
        }
        LockStoreException known = RedisFailures.translate(failed, connections::server);
        return new LockStoreException(String.valueOf(known.getMessage()), known.getCause(), false);
    }

    private synchronized Attempt attempt() {
        Attempt known = attempt;
        if (known == null || known.isCompletedExceptionally()) {
            Attempt next = new Attempt();
            DaemonThreads.create(() -> run(next), "holdfast-connect").start();
            attempt = next;
            return next;
        }
        return known;
    }

    private void run(Attempt current) {
        try {
            connections.open();
            open = true;
            current.complete(null);
            next.run();
        } catch (Throwable e) {
            current.completeExceptionally(e);
        }
    }
}
