package io.holdfast.lock.lease;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases of one server on a thread of its own, so that a server that hangs holds up nobody else's locks. The
 * thread ends when there was nothing to do for a while: servers come and go.
 *
 * <p>Nothing is left undone: {@link #wake} notes that there is work, and sees to a thread, under the same monitor under
 * which a thread looks whether there is work before it ends.
 */
final class RenewalLane {

    private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);

    private static final long IDLE_MILLIS = TimeUnit.MINUTES.toMillis(10);

    private final RenewalLoop loop;
    private boolean work;
    private boolean closed;
    private @Nullable Thread thread;

    RenewalLane(RenewalLoop loop) {
        this.loop = loop;
    }

    void add(Batch batch) {
        loop.add(batch);
    }

    /** There is something to do. A thread that could not be started, for want of memory, is started the next time. */
    synchronized void wake() {
        work = true;
        if (thread == null && !closed) {
            Thread starting = new Thread(this::run, "lock-renewal");
            starting.setDaemon(true);
            starting.start();
            thread = starting;
        }
        notifyAll();
    }

    boolean hasWork() {
        return loop.hasPending();
    }

    void renewPending() {
        loop.renewPending();
    }

    /** Goes on until it is closed or idle, whatever goes wrong, and whoever interrupts its thread. */
    private void run() {
        while (awaitWork()) {
            try {
                loop.renewPending();
            } catch (RuntimeException | Error e) {
                log.error("Renewal of locks met an error and goes on", e);
            }
        }
    }

    private synchronized boolean awaitWork() {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(IDLE_MILLIS);
        while (!work && !closed && System.nanoTime() - end < 0) {
            try {
                wait(IDLE_MILLIS);
            } catch (InterruptedException e) {
                log.debug("Renewal was interrupted; it ends if the client is closed");
            }
        }
        boolean goesOn = work && !closed;
        work = false;
        if (!goesOn) {
            thread = null;
        }
        return goesOn;
    }

    synchronized void close() {
        closed = true;
        if (thread != null) {
            thread.interrupt();
        }
        notifyAll();
    }
}
