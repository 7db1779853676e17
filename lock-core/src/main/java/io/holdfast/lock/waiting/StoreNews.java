package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockHolder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a {@link Line} knows of the store through its front. Written under the line's monitor, read without it. */
final class StoreNews {

    private volatile Optional<LockHolder> holder = Optional.empty();

    /** The entry of the front, and, if the store fails, what the former front has found. */
    private volatile @Nullable QueueEntry entry;

    private volatile @Nullable Failing inherited;
    private volatile boolean answered;

    /** Who holds the lock, as the store last reported to the front. */
    Optional<LockHolder> holder() {
        return holder;
    }

    void holder(Optional<LockHolder> found) {
        holder = found;
    }

    /** Whether the store has replied to any caller of the line. */
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
     * The front waits with this entry.
     *
     * @param onFailing is run when the entry learns that the store fails, and immediately if it knows already
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

    /** The front has changed; the failure stays known. */
    void frontChanged() {
        inherited = failing();
        entry = null;
    }

    /** The front stops waiting for a store that fails. */
    void passOn(Failing failing) {
        inherited = failing;
    }
}
