package io.holdfast.lock.api;

/**
 * An acquisition that waits in the queue of a lock, as the store knows it. For display only.
 *
 * @param clientId the id of the client that waits
 * @param host the host name of its machine
 * @param pid the process on that machine
 * @param thread the thread that asked for the lock first; others of its client may wait behind it, or have taken its place
 * @param mode whether it waits for the lock exclusively
 * @param fair whether nobody who asked later is served before it
 * @param reserved whether the lock is reserved for it: it holds the lock as soon as it confirms that
 */
public record LockWaiter(
        String clientId, String host, long pid, String thread, LockMode mode, boolean fair, boolean reserved) {

    /** Escapes the names, which come from Redis and appear in messages, see {@link LockKey#printable}. */
    public LockWaiter {
        clientId = LockKey.printable(clientId);
        host = LockKey.printable(host);
        thread = LockKey.printable(thread);
    }
}
