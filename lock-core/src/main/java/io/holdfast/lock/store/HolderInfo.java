package io.holdfast.lock.store;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockWaiter;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where an acquisition comes from, for operators who inspect the lock.
 *
 * @param host the machine
 * @param pid the process
 * @param thread the thread's name
 * @param traceparent the span in which the lock was requested, see {@link LockHolder#traceparent}; null if none is known
 */
public record HolderInfo(
        String host, long pid, String thread, @Nullable String traceparent) {

    /** Escapes the texts, which stores write on separate lines, and which appear in messages: see {@link LockKey#printable}. */
    public HolderInfo {
        host = LockKey.printable(host);
        thread = LockKey.printable(thread);
        traceparent = traceparent == null ? null : LockKey.printable(traceparent);
    }

    /**
     * Without a trace.
     *
     * @param host the machine
     * @param pid the process
     * @param thread the thread's name
     */
    public HolderInfo(String host, long pid, String thread) {
        this(host, pid, thread, null);
    }

    /**
     * {@return the same with another trace}
     *
     * @param other its span, or null
     */
    public HolderInfo in(@Nullable String other) {
        return Objects.equals(other, traceparent) ? this : new HolderInfo(host, pid, thread, other);
    }

    /** {@return this as the holder of a lock, see {@link LockHolder}} */
    public LockHolder holding(
            String clientId, Instant since, Duration remaining, long token, LockMode mode, boolean keptByMinHold) {
        Optional<String> trace = Optional.ofNullable(traceparent);
        return new LockHolder(clientId, host, pid, thread, since, remaining, token, mode, keptByMinHold, trace);
    }

    /** {@return this as an acquisition in the queue of a lock, see {@link LockWaiter}} */
    public LockWaiter waiting(String clientId, LockMode mode, boolean fair, boolean reserved) {
        return new LockWaiter(clientId, host, pid, thread, mode, fair, reserved);
    }
}
