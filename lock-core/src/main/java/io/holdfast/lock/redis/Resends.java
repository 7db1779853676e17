package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.DriverConnections;
import io.holdfast.lock.redis.driver.RedisFailures;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides what is sent again, and what failures reveal about the servers.
 *
 * <p>After a restart of Redis a pool is full of dead connections, each of which fails one command. Since every script
 * may be sent twice, a call on a broken connection is sent again, in the first quarter of its command timeout: immediately for as
 * many times as there may be dead connections, and then every 20 ms. A timeout is never retried here: the caller's budget covers
 * only one.
 */
final class Resends {

    private static final int SENDS_AT_ONCE = 20;
    private static final int RESEND_WITHIN = 4;
    private static final long PAUSE_NANOS = 20_000_000;

    /** Is notified of signs that a subscription may be at the wrong server. */
    interface ServerListener {

        /** A call got no reply: the server may hang, or be gone. */
        void unanswered();

        /** A call was answered by a replica: another server is the primary now. */
        void replica();
    }

    /** The result of a call, and whether it is that of the first send. */
    record Sent<T>(T result, boolean firstSend) {}

    private final DriverConnections connections;
    private final TopologyRefresh unanswered;
    private final TopologyRefresh replica;
    private final long timeoutNanos;

    /** @param listener is notified of a call that was not answered, or by a replica; not of each one if there are many */
    Resends(DriverConnections connections, Duration commandTimeout, ServerListener listener) {
        this.connections = connections;
        this.unanswered = new TopologyRefresh(() -> {
            listener.unanswered();
            connections.refreshTopology();
        });
        this.replica = new TopologyRefresh(() -> {
            listener.replica();
            connections.refreshTopology();
        });
        this.timeoutNanos = commandTimeout.toNanos();
    }

    /**
     * Makes a call, and repeats it after a broken connection; it must be safe to send twice.
     *
     * @param start when it was sent, or will be, first, by {@link System#nanoTime()}
     * @param first how that failed; null if it has not been sent yet
     */
    <T> Sent<T> run(Supplier<T> call, long start, @Nullable RuntimeException first) {
        RuntimeException failed = first;
        boolean outcomeUnknown = false;
        for (int send = 1; ; send++) {
            if (failed == null) {
                try {
                    return new Sent<>(call.get(), send == 1);
                } catch (RuntimeException e) {
                    failed = e;
                }
            }
            LockStoreException failure = failed(failed);
            failed = null;
            outcomeUnknown |= failure.outcomeUnknown();
            boolean again = RedisFailures.isBrokenConnection(failure)
                    && System.nanoTime() - start < timeoutNanos / RESEND_WITHIN;
            if (!again) {
                throw outcomeUnknown ? RedisFailures.ofUnknownOutcome(failure) : failure;
            }
            if (send >= SENDS_AT_ONCE) {
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
        }
    }

    /** Handles a failure after which this class does not send again. */
    LockStoreException failed(RuntimeException met) {
        LockStoreException failure = translate(met);
        notice(failure);
        return failure;
    }

    LockStoreException translate(RuntimeException failure) {
        return RedisFailures.translate(failure, connections::server);
    }

    private void notice(LockStoreException failure) {
        if (RedisFailures.isReadOnly(failure)) {
            noticeReplica();
        } else if (RedisFailures.isNoAnswer(failure) && !Thread.currentThread().isInterrupted()) {
            unanswered.request();
        }
    }

    /** A replica answered: another server has taken its place. */
    void noticeReplica() {
        replica.request();
    }
}
