package io.holdfast.lock.redis.driver.lettuce;

import io.holdfast.lock.store.DaemonThreads;
import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one connection that all calls of a Lettuce client share.
 *
 * <p>Spring Data has each caller connect while the others wait for a lock, so callers of a server that hangs fail one after
 * the other. Here a separate thread connects, so no caller's budget is spent, and only one at a time. Callers wait for its
 * future, each for as long as it wants to. If an attempt fails, all its waiters fail; the next call begins another attempt, which
 * starts {@value #PAUSE_MILLIS} ms after that, so that a server that refuses connections gets no more attempts, however many
 * callers there are.
 *
 * <p>A connection that {@linkplain #drop did not answer} is replaced. Whoever drops it says which one it means, so that a
 * caller whose call began before the last replacement does not drop the new one. Calls that are on their way keep the old
 * connection until they have their answers, or have timed out.
 *
 * <p>{@link #current} is null, or the only attempt under way, or the connection; who sets an attempt, by compare-and-set, starts
 * its thread. After {@link #close}, which swaps in a failed attempt, nobody sets another one; a connect
 * that succeeds later finds that, and releases its connection.
 */
final class LettuceLink<C extends StatefulConnection<byte[], byte[]>> {

    private static final int PAUSE_MILLIS = 100;

    private final Supplier<C> connect;
    private final Consumer<C> retire;
    private final AtomicReference<@Nullable CompletableFuture<C>> current = new AtomicReference<>();
    private volatile boolean closed;
    private volatile long notBefore = System.nanoTime();

    /**
     * @param connect makes a connection, or throws; may block
     * @param retire gets a connection that nobody is given any more, but that some may still wait on; does not block
     */
    LettuceLink(Supplier<C> connect, Consumer<C> retire) {
        this.connect = connect;
        this.retire = retire;
    }

    /** The connection, or the attempt to make it, which this begins if nobody else has. */
    CompletableFuture<C> get() {
        while (true) {
            CompletableFuture<C> known = current.get();
            if (known != null && (closed || !known.isCompletedExceptionally())) {
                return known;
            }
            CompletableFuture<C> attempt = new CompletableFuture<>();
            if (current.compareAndSet(known, attempt)) {
                start(attempt);
                return attempt;
            }
        }
    }

    private void start(CompletableFuture<C> attempt) {
        Thread thread = DaemonThreads.create(() -> run(attempt), "holdfast-connect");
        try {
            thread.start();
        } catch (Error e) { // no more threads
            attempt.completeExceptionally(e);
            throw e;
        }
    }

    private void run(CompletableFuture<C> attempt) {
        try {
            awaitNextTry();
            C made = connect.get();
            if (!attempt.complete(made)) {
                retire.accept(made);
            }
        } catch (RuntimeException | Error e) {
            notBefore = System.nanoTime() + PAUSE_MILLIS * 1_000_000L;
            attempt.completeExceptionally(e);
        }
    }

    private void awaitNextTry() {
        for (long left = notBefore - System.nanoTime(); left > 0 && !closed; left = notBefore - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
        }
    }

    /** Whether there is a connection, as far as is known. */
    boolean isReady() {
        CompletableFuture<C> known = current.get();
        return known != null && known.isDone() && !known.isCompletedExceptionally();
    }

    /** Has this connection replaced, if it has not been already. */
    void drop(C connection) {
        CompletableFuture<C> known = current.get();
        boolean meant =
                known != null && known.isDone() && !known.isCompletedExceptionally() && known.join() == connection;
        if (meant && current.compareAndSet(known, null)) {
            retire.accept(connection);
            var unused = get();
        }
    }

    /** Forgets the connection, which ends with its client. The next call makes another one. */
    synchronized void reset() {
        if (!closed) {
            CompletableFuture<C> known = current.getAndSet(null);
            if (known != null) {
                known.completeExceptionally(new IllegalStateException("The connections for locks are stopped"));
            }
        }
    }

    /** Ends the attempt under way, if there is one. The connection ends with its client. */
    synchronized void close() {
        closed = true;
        CompletableFuture<C> end =
                CompletableFuture.failedFuture(new IllegalStateException("The connections for locks are closed"));
        CompletableFuture<C> known = current.getAndSet(end);
        if (known != null) {
            known.completeExceptionally(new IllegalStateException("The connections for locks were closed"));
        }
    }
}
