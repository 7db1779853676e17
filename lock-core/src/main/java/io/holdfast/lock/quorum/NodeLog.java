package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.ConnectionsInUseException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs, and remembers, failures of one server of a quorum. As long as the others form a majority no call fails, so nothing else
 * reveals a wrong address or password.
 */
final class NodeLog {

    private static final Logger log = LoggerFactory.getLogger(NodeLog.class);

    /** A server that keeps failing is not logged more often. */
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final String name;
    private final AtomicLong nextWarning = new AtomicLong(System.nanoTime());
    private volatile @Nullable String latest;
    private volatile boolean ended;

    NodeLog(String name) {
        this.name = name;
    }

    /** What the store itself refuses, such as a server that rejoins, has no cause. A call without a connection was not sent. */
    void failed(LockStoreException failure) {
        Throwable cause = failure.getCause();
        if (ended
                || cause == null
                || cause instanceof ConnectionsInUseException
                || Thread.currentThread().isInterrupted()) {
            return;
        }
        latest = String.valueOf(failure.getMessage());
        long now = System.nanoTime();
        long due = nextWarning.get();
        if (now - due >= 0 && nextWarning.compareAndSet(due, now + PAUSE_NANOS)) {
            log.warn(
                    "Lock server {} failed; locks work as long as a majority of the servers responds: {}",
                    name,
                    failure.getMessage());
        }
    }

    void succeeded() {
        latest = null;
    }

    /** What was wrong with the latest call. */
    Optional<String> failure() {
        return Optional.ofNullable(latest);
    }

    /** Failures are expected from now on. */
    void end() {
        ended = true;
    }
}
