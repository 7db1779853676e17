package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockHolder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a {@link Line} knows of the store through its front. Written under the line's monitor, read without it. */
final class StoreNews {

    private volatile Optional<LockHolder> holder = Optional.empty();

    /** What the front waits with, and what was found by the one before it, if the store fails. */
    private volatile @Nullable QueueEntry entry;

    private volatile @Nullable Failing inherited;
    private volatile boolean answered;

    /** Who holds the lock, as the front was told last. */
    Optional<LockHolder> holder() {
        return holder;
    }

    void holder(Optional<LockHolder> found) {
        holder = found;
    }

    /** Whether the store has answered somebody of the line. */
    boolean isAnswered() {
        return answered;
    }

    /** Since when the store fails, if it does. */
    @Nullable
    Failing failing() {
        QueueEntry waiting = entry;
        Failing found = waiting == null ? null : waiting.failing();
        return found == null ? inherited : found;
    }

    /**
     * The front waits with that entry.
     *
     * @param onFailing is run when the entry hears that the store fails, and now if it knew before anybody could be told
     */
    void waitsWith(QueueEntry waiting, Runnable onFailing) {
        entry = waiting;
        inherited = null;
        waiting.whenFailing(onFailing);
        if (waiting.failing() != null) {
            onFailing.run();
        }
    }

    void answered() {
        answered = true;
        entry = null;
        inherited = null;
    }

    /** Another one is the front; what is known stays known. */
    void frontChanged() {
        inherited = failing();
        entry = null;
    }

    /** The front gives up waiting for a store that fails. */
    void passOn(Failing failing) {
        inherited = failing;
    }
}
