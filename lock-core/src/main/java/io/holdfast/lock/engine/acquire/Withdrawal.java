package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.client.Cleanup;
import io.holdfast.lock.engine.client.Uninterruptibly;
import io.holdfast.lock.waiting.Front;
import io.holdfast.lock.waiting.Place;

/** How an {@link Acquisition} that got nothing leaves nothing behind at the store. */
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

    /** Every try was answered: the entry is good for the next one in line. If there is none, it is given up. */
    void giveUp() {
        if (!front.passEntry()) {
            place.leave();
            giveUpEntry(front.isResent());
        }
    }

    /**
     * The store removes the acquisition before the caller learns that it was refused: otherwise the store might grant the lock
     * to a caller that has gone. This takes one call, which no interrupt ends. If the store does not respond, it is notified in
     * the background; immediately if it is known to fail.
     */
    void giveUpEntry(boolean cancel) {
        boolean kept = front.closeEntry();
        if (front.isStoreFailing()) {
            dropEntry(cancel);
        } else if (cancel || kept) {
            try {
                Uninterruptibly.call(() -> {
                    cleanup.leaveNow(key, front.owner(), cancel ? leaseNanos : 0);
                    return kept;
                });
            } catch (LockStoreException e) {
                dropEntry(cancel);
            }
        }
    }

    /** In the background. If a send of its calls was not answered, it may still arrive, so the acquisition is cancelled as well. */
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
