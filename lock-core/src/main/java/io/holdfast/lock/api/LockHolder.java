package io.holdfast.lock.api;

import java.time.Duration;
import java.time.Instant;

/**
 * The holder of a lock, as recorded in the store. For display only; not proof of ownership.
 *
 * @param clientId the id of the client that holds it
 * @param host the host name of the holder's machine
 * @param pid the process on that machine
 * @param thread the thread that acquired the lock
 * @param since when the lock was acquired, according to the store's clock (derived from the fencing token)
 * @param remaining how long the lease lasts without renewal, at the time of the reply; never negative
 * @param fencingToken the token of this grant
 * @param mode the mode in which it holds the lock
 */
public record LockHolder(
        String clientId,
        String host,
        long pid,
        String thread,
        Instant since,
        Duration remaining,
        long fencingToken,
        LockMode mode) {

    /** Escapes the names, because they come from Redis and appear in messages; see {@link LockKey#printable}. */
    public LockHolder {
        clientId = LockKey.printable(clientId);
        host = LockKey.printable(host);
        thread = LockKey.printable(thread);
    }

    /** {@return a description for messages, on one line: host, process, thread and remaining lease} */
    public String describe() {
        return host + " (pid " + pid + ", thread " + thread + "), " + remaining.toMillis() + " ms left on its lease";
    }
}
