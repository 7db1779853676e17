package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.engine.client.Cleanup;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.waiting.Front;
import io.holdfast.lock.waiting.LocalQueue.Place;

/** Ensures that an {@link Acquisition} that failed leaves nothing behind at the store. */
final class Withdrawal {

    private final Cleanup cleanup;
    private final Place place;
    private final Front front;
    private final LockKey key;
    private final long leaseNanos;

    /** @param leaseNanos the lease that was asked for: after that, the store has forgotten everything by itself */
    Withdrawal(Cleanup cleanup, Place place, Front front, LockKey key, long leaseNanos) {
        this.cleanup = cleanup;
        this.place = place;
        this.front = front;
        this.key = key;
        this.leaseNanos = leaseNanos;
    }

    /** Every try was answered, so the next one in line can use the entry. If there is none, the entry is given up. */
    void giveUp() {
        if (!front.passEntry()) {
            place.leave();
            giveUpEntry(front.isResent());
        }
    }

    /**
     * The store removes the acquisition before the caller learns that it was refused: otherwise the store might grant the lock
     * to a caller that has gone. This takes one call, which an interrupt does not end. If the store does not respond, the removal
     * is left to the background; immediately, if the store is known to fail.
     */
    void giveUpEntry(boolean cancel) {
        boolean kept = front.closeEntry();
        if (front.isStoreFailing()) {
            dropEntry(cancel);
        } else if (cancel || kept) {
            try {
                ClientContext.uninterruptibly(() -> {
                    cleanup.leaveNow(key, front.owner(), cancel ? leaseNanos : 0);
                    return kept;
                });
            } catch (RuntimeException | Error e) {
                dropEntry(cancel);
            }
        }
    }

    /** In the background. If one of its sends got no reply, it may still arrive, so the acquisition is cancelled as well. */
    void dropEntry(boolean cancel) {
        if (cancel) {
            undo();
        } else if (front.closeEntry()) {
            cleanup.leave(key, front.owner());
        }
    }

    void undo() {
        front.closeEntry();
        cleanup.undo(key, front.owner(), leaseNanos);
    }
}
