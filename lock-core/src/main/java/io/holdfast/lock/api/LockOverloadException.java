package io.holdfast.lock.api;

import java.time.Duration;

/**
 * The call was rejected because too many calls from this client are already waiting, for locks in general or for this lock. Shed
 * load, or try again later.
 */
public final class LockOverloadException extends LockException {

    private static final long serialVersionUID = 1L;

    private LockOverloadException(String message) {
        super(message, null);
    }

    /**
     * {@return an exception for a client with too many waiting calls; the store was not called}
     *
     * @param key the key that was requested
     * @param waiting the number of waiting calls
     */
    public static LockOverloadException ofClient(LockKey key, int waiting) {
        return new LockOverloadException("Lock '" + key + "' was not requested: " + waiting
                + " asynchronous calls (executeAsync, reactive methods, event loops) are already waiting for locks,"
                + " which is the limit. Reduce the number of waiting calls, shorten waitFor, or raise the limit"
                + " (holdfast.async.max-waiting, LockEngineBuilder.maxWaiting).");
    }

    /**
     * {@return an exception for a call whose {@code waitFor} expired before the client had a free thread to call the store}
     *
     * @param key the key that was requested
     * @param waited how long it waited for a thread
     */
    public static LockOverloadException ofThreads(LockKey key, Duration waited) {
        return new LockOverloadException("Lock '" + key
                + "' was not requested within its waitFor: the threads that acquire locks for asynchronous calls"
                + " (executeAsync, reactive methods, event loops) were busy for " + DurationText.of(waited)
                + " with calls to which Redis responded slowly or not at all. Check Redis and the network, or"
                + " reduce the number of waiting calls.");
    }

    /**
     * {@return an exception for a call that found too many waiting calls for the same lock; see {@link LockRequest#maxWaiting}}
     *
     * @param key the key that was requested
     * @param waiting the number of calls that wait for it
     */
    public static LockOverloadException ofKey(LockKey key, int waiting) {
        return new LockOverloadException("Lock '" + key + "' is not free, and " + waiting
                + " calls from this client are already waiting for it, which is the limit. Try again later, or raise"
                + " maxWaiting.");
    }
}
