package io.holdfast.lock.api;

/**
 * So many calls of this client wait for locks, each of them on a thread of the client, that one more was refused at once. The
 * store was not asked, so nobody knows whether the lock is free.
 */
public final class LockOverloadException extends LockException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an instance.
     *
     * @param key the key that was asked for
     * @param waiting how many wait
     */
    public LockOverloadException(LockKey key, int waiting) {
        super(
                "Lock '" + key + "' was not asked for: " + waiting
                        + " calls of executeAsync, or of locked methods that are"
                        + " reactive or were called on an event loop, wait for locks already, which is the most that may"
                        + " wait at a time. Let fewer calls wait, let them wait for a shorter time, or raise the limit"
                        + " (holdfast.async.max-waiting, LockEngine.Builder.maxWaiting).",
                null);
    }
}
