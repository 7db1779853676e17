package io.holdfast.lock.api;

/**
 * Receives the events of one client's locks.
 *
 * <p>{@code Waiting}, {@code Acquired}, {@code NotAcquired}, {@code Failed}, {@code Released} and {@code ForceReleased} are
 * delivered on the thread that caused them; {@code Lost}, {@code LongHeld}, {@code Renewed} and {@code RenewalFailed} on the
 * listener thread, one at a time. Listeners should return quickly: if 10,000 events are waiting for that thread, further ones are
 * dropped, see {@link LocalLocks#droppedEvents()}. Exceptions thrown by listeners are logged and have no other effect.
 *
 * <pre>{@code
 * LockListener listener = event -> {
 *     if (event instanceof LockEvent.Lost lost) { alarm(lost.key()); }
 * };
 * }</pre>
 */
@FunctionalInterface
public interface LockListener {

    /**
     * Called for each event.
     *
     * @param event what happened
     */
    void onEvent(LockEvent event);

    /**
     * Called when an acquisition begins, unless the caller already holds the lock. The default does nothing.
     *
     * @param key the lock
     * @param name the name of the request; see {@link LockRequest#name()}; empty if it has none
     * @return an observer of this acquisition
     */
    default AcquisitionObserver onAcquire(LockKey key, String name) {
        return AcquisitionObserver.UNOBSERVED;
    }

    /**
     * Observes one acquisition. Used by one thread at a time, but not always by the same thread: an asynchronous acquisition
     * may switch threads.
     */
    interface AcquisitionObserver {

        /** Ignores the acquisition. */
        AcquisitionObserver UNOBSERVED = outcome -> {};

        /**
         * The current thread continues the acquisition: it calls the store, or receives its reply.
         *
         * @return the scope, which the same thread closes before the outcome is reported
         */
        default Scope onThread() {
            return Scope.NOTHING;
        }

        /**
         * The acquisition has ended. Called once.
         *
         * @param outcome {@code Acquired}, {@code NotAcquired} or {@code Failed}; {@link #onEvent} has already been called
         *     with it
         */
        void ended(LockEvent.OfLock outcome);
    }

    /** The time during which a thread continues an acquisition. */
    @FunctionalInterface
    interface Scope extends AutoCloseable {

        /** A scope that does nothing when it is closed. */
        Scope NOTHING = () -> {};

        @Override
        void close();
    }

    /**
     * Whether this listener currently needs events. Called before each event, so it must be fast. While no listener of a
     * client needs events, no events are created, and {@link #onAcquire} is not called; while at least one listener needs
     * them, all listeners are called. If the result changes during an acquisition, a listener may be notified of its beginning
     * but not of its end. The default is true.
     *
     * @return whether to create events for this listener
     */
    default boolean isListening() {
        return true;
    }
}
