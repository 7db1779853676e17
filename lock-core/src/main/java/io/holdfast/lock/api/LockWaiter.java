package io.holdfast.lock.api;

/**
 * An acquisition waiting in the queue of a lock, as recorded in the store. For display only.
 *
 * @param clientId the id of the waiting client
 * @param host the host name of its machine
 * @param pid the process on that machine
 * @param thread the thread that first requested the lock; other threads of its client may be waiting behind it, or may have
 *     taken its place
 * @param mode the mode in which it requested the lock
 * @param fair whether it is served before all later requests
 * @param reserved whether the lock is reserved for it: it holds the lock as soon as it confirms the reservation
 */
public record LockWaiter(
        String clientId, String host, long pid, String thread, LockMode mode, boolean fair, boolean reserved) {

    /** Escapes the names, because they come from Redis and appear in messages; see {@link LockKey#printable}. */
    public LockWaiter {
        clientId = LockKey.printable(clientId);
        host = LockKey.printable(host);
        thread = LockKey.printable(thread);
    }
}
