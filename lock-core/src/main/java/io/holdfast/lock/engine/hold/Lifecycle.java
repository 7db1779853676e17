package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.Each;
import io.holdfast.lock.lease.Lease;
import io.holdfast.lock.lease.LeaseKeeper;
import io.holdfast.lock.store.ReleaseRequest;
import java.time.Duration;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a client acquires locks, and how it stops: for good, or while its process is copied.
 *
 * <p><b>A copy holds nothing.</b> {@link #suspend} first refuses new locks, then waits for the locks that are held, or declares
 * them lost. A call in progress may still be granted a lock. After it has recorded the lock, it compares the client's id at its
 * beginning with the current one: if the client is suspended by then, or has a new id, the lock is given back, and the caller
 * never sees it. {@link #resume} changes the id before it admits callers. So every lock that a caller gets was requested under an
 * id that no other copy has.
 */
public final class Lifecycle {

    private static final Logger log = LoggerFactory.getLogger(Lifecycle.class);

    private final ClientContext client;
    private final LeaseKeeper keeper;
    private final ThreadHolds holds;
    private volatile boolean refusing;
    private volatile boolean suspended;
    private volatile boolean closed;

    public Lifecycle(ClientContext client, LeaseKeeper keeper, ThreadHolds holds) {
        this.client = client;
        this.keeper = keeper;
        this.holds = holds;
    }

    public void ensureOpen() {
        if (suspended) {
            throw new IllegalStateException(
                    "A checkpoint of this process is in progress; no lock can be acquired until the process is"
                            + " restored");
        }
        if (refusing) {
            throw new IllegalStateException("The lock client is closed; no lock can be acquired");
        }
    }

    /**
     * Whether a lock that was requested under that id comes too late.
     *
     * @param clientId the client's id at the beginning of the call
     */
    public boolean isOver(String clientId) {
        return refusing || !clientId.equals(client.id());
    }

    public IllegalStateException tooLate(LockKey key) {
        ensureOpen();
        return new IllegalStateException("This process was restored from a checkpoint while lock '" + key
                + "' was being acquired, and every restored copy would hold it. Acquire it again.");
    }

    /** Refuses new locks, and waits until nothing is held. Returns whether nothing is held. */
    public boolean drain(Duration atMost) throws InterruptedException {
        refuseNew();
        return holds.awaitNone(atMost);
    }

    private void refuseNew() {
        refusing = true;
        client.queue().close();
    }

    /** Refuses new locks; what is still held is declared lost, and then released. */
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        refuseNew();
        keeper.close();
        loseAll(LossCause.CLOSED, hold -> hold.releaseLater(client.cleanup()));
    }

    private void loseAll(LossCause cause, Consumer<Hold> release) {
        Each.run(holds.all(), hold -> {
            Lease lease = hold.lease();
            if (lease.isOpen()) { // one whose release is under way is given back, not lost
                lease.lose(cause);
            }
            if (lease.abandon()) {
                keeper.forget(lease);
                holds.remove(lease);
                release.accept(hold);
            }
        });
    }

    /** Ends in the same way, but this thread releases everything, before the store's connections are closed. */
    public void suspend(Duration atMost) throws InterruptedException {
        if (closed) {
            return;
        }
        suspended = true;
        drain(atMost);
        loseAll(LossCause.CHECKPOINT, this::releaseNow);
        client.closeFiles();
        client.store().disconnect();
    }

    private void releaseNow(Hold hold) {
        Lease lease = hold.lease();
        ReleaseRequest request = hold.releaseRequest(ReleaseRequest.UNKNOWN_LEASE);
        try {
            ClientContext.uninterruptibly(() -> client.store().release(request));
        } catch (RuntimeException | Error e) {
            log.warn(
                    "Failed to release lock '{}' before a checkpoint; it expires at the end of its lease",
                    lease.key(),
                    e);
        }
    }

    /** This copy of the process becomes a client of its own, and acquires locks again. */
    public synchronized void resume() {
        if (suspended && !closed) {
            client.store().connect();
            client.renew();
            keeper.onFirstLongHold(() -> client.queue().entries().subscribe());
            refusing = false;
            suspended = false;
        }
    }
}
