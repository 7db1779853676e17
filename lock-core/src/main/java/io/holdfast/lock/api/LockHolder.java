package io.holdfast.lock.api;

import java.time.Duration;
import java.time.Instant;

/**
 * Who holds a lock, as the store knows it, for people: these are not credentials.
 *
 * @param clientId the client that holds it; each has an id of its own
 * @param host the host name of the holder's machine
 * @param pid the process on that machine
 * @param thread the thread that acquired the lock
 * @param since when it was acquired, by the store's clock, as far as its fencing token tells
 * @param remaining how long the lease still lasts without renewal, at the moment of the answer; never negative
 * @param fencingToken the token of this grant
 * @param mode whether it holds the lock alone
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

    /** Names come from whoever writes to Redis, and go into messages: they are kept as {@link LockKey#printable} shows them. */
    public LockHolder {
        clientId = LockKey.printable(clientId);
        host = LockKey.printable(host);
        thread = LockKey.printable(thread);
    }

    /** {@return one line for a message: host, process, thread, remaining lease} */
    public String describe() {
        return host + " (pid " + pid + ", thread " + thread + "), lease remaining " + remaining.toMillis() + " ms";
    }
}
