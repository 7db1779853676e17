package io.holdfast.lock.api;

/**
 * Is told what happens to the locks of one client.
 *
 * <p>{@code Waiting}, {@code Acquired}, {@code NotAcquired}, {@code Failed}, {@code Released} and {@code ForceReleased} are
 * told on the thread that caused them; {@code Lost}, {@code LongHeld}, {@code Renewed} and {@code RenewalFailed} on a thread
 * kept for listeners, one after the
 * other. A listener should be quick. One that throws is logged and harms nobody.
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
     * Is told of an event.
     *
     * @param event what happened
     */
    void onEvent(LockEvent event);

    /**
     * Is told that an acquisition begins, of a lock that the caller does not hold. Does nothing unless implemented.
     *
     * @param key the lock
     * @param name what its use is called, see {@link LockRequest#name()}; empty for none
     * @return is told what becomes of it
     */
    default Acquisition onAcquire(LockKey key, String name) {
        return Acquisition.UNOBSERVED;
    }

    /**
     * One acquisition, as a listener follows it: what lasts for it is opened before, and closed when it has ended. Used by one
     * thread at a time, which need not be the same: that of an acquisition without a thread of its own changes.
     */
    interface Acquisition {

        /** One that the listener does not care for. */
        Acquisition UNOBSERVED = outcome -> {};

        /**
         * The current thread goes on with it: asks the store, or hears of it.
         *
         * @return is closed by the same thread, before anybody is told of the outcome
         */
        default Scope onThread() {
            return Scope.NOTHING;
        }

        /**
         * It has ended. Called once.
         *
         * @param outcome {@code Acquired}, {@code NotAcquired} or {@code Failed}; {@link #onEvent} was told of it before
         */
        void ended(LockEvent.OfLock outcome);
    }

    /** While a thread goes on with an acquisition. */
    @FunctionalInterface
    interface Scope extends AutoCloseable {

        /** One that needs no end. */
        Scope NOTHING = () -> {};

        @Override
        void close();
    }

    /**
     * Whether anybody hears what this listener is told. Asked before each event, so it should answer at once. While none of the
     * listeners of a client listens, events are not even made, and {@link #onAcquire} is not called; while one does, all are
     * told. So a listener that is told of the beginning of an acquisition may not be told of its end if the answer changes
     * meanwhile. True unless implemented.
     *
     * @return whether to make events for this listener
     */
    default boolean isListening() {
        return true;
    }

    /**
     * A listener that hears of lost locks only.
     *
     * @param action what to do with a loss
     * @return the listener
     */
    static LockListener onLost(java.util.function.Consumer<LockEvent.Lost> action) {
        return event -> {
            if (event instanceof LockEvent.Lost lost) {
                action.accept(lost);
            }
        };
    }
}
