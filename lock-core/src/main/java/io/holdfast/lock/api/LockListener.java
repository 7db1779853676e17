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
     * Is told that this thread begins to ask for a lock that it does not hold. {@code Acquired}, {@code NotAcquired} or
     * {@code Failed} follows on this thread, and nothing else of this thread comes between but {@code Waiting}: so what
     * lasts for one acquisition can be opened here and closed there. Does nothing unless implemented.
     *
     * @param key the lock
     * @param name what its use is called, see {@link LockRequest#name()}; empty for none
     */
    default void onAcquire(LockKey key, String name) {}

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
