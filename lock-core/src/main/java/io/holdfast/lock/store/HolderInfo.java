package io.holdfast.lock.store;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockWaiter;
import java.time.Duration;
import java.time.Instant;

/**
 * Where an acquisition comes from, for operators who inspect the lock.
 *
 * @param host the machine
 * @param pid the process
 * @param thread the thread's name
 */
public record HolderInfo(String host, long pid, String thread) {

    /** Escapes the names, which stores write on separate lines, and which appear in messages: see {@link LockKey#printable}. */
    public HolderInfo {
        host = LockKey.printable(host);
        thread = LockKey.printable(thread);
    }

    /** {@return this as the holder of a lock, see {@link LockHolder}} */
    public LockHolder holding(
            String clientId, Instant since, Duration remaining, long token, LockMode mode, boolean keptByMinHold) {
        return new LockHolder(clientId, host, pid, thread, since, remaining, token, mode, keptByMinHold);
    }

    /** {@return this as an acquisition in the queue of a lock, see {@link LockWaiter}} */
    public LockWaiter waiting(String clientId, LockMode mode, boolean fair, boolean reserved) {
        return new LockWaiter(clientId, host, pid, thread, mode, fair, reserved);
    }
}
