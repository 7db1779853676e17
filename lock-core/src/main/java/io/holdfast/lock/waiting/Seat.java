package io.holdfast.lock.waiting;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition's place in the queue at the store, seen from here. One thread at a time waits on it; behind a
 * {@link Gate} it passes from thread to thread.
 *
 * <p>No call is missed: the waiter clears {@link #called} before it asks the store, and waits only while it is still
 * clear afterwards. A call that comes earlier than the answer to the question it makes superfluous costs one more
 * question, never a wait. That the client was closed is never cleared.
 *
 * <p><b>Reservations.</b> A message says that the lock is granted, until when on the store's clock, but not how old it is.
 * So the seat remembers when it asked the store last, and what the store's clock was then. A reservation that was made
 * after that ends no earlier than as much later on the clock here, counted from before the question was sent; that is its
 * deadline. One that was made before that is old news: the answer has overtaken it.
 */
public final class Seat {

    /** When the store was asked, on the ticker, and its clock when it answered. */
    private record Answer(long askedAt, long storeMicros) {}

    private final LockKey key;
    private final OwnerId owner;
    private volatile boolean called;
    private volatile @Nullable Reservation reservation;
    private volatile @Nullable Answer answer;
    private volatile Waiters awaited = Waiters.NONE;
    private volatile boolean closed;
    private volatile @Nullable Thread waiter;

    /** Whether the store has given it a place, so that it must be kept, or given up. The waiting thread's. */
    boolean taken;

    /** Whether a send of its calls was not answered, and may still arrive. The waiting thread's. */
    private boolean resent;

    Seat(LockKey key, OwnerId owner) {
        this.key = key;
        this.owner = owner;
    }

    /** {@return what is waited for} */
    public LockKey key() {
        return key;
    }

    /** {@return the acquisition} */
    public OwnerId owner() {
        return owner;
    }

    /** {@return whether a send of one of its calls was not answered, and may still arrive} */
    public boolean isResent() {
        return resent;
    }

    /** One of its calls was sent twice. */
    public void markResent() {
        resent = true;
    }

    /** The store is about to be asked: whatever calls come from now on are news. */
    public void rearm() {
        called = false;
        reservation = null;
    }

    /**
     * The store has answered that the lock is not for this seat yet.
     *
     * @param askedAt when it was asked, on the ticker, before the first send
     * @param storeMicros the store's clock
     */
    public synchronized void answered(long askedAt, long storeMicros) {
        Answer known = answer;
        if (known == null || known.storeMicros() < storeMicros) {
            answer = new Answer(askedAt, storeMicros);
        }
    }

    /** Who was said to wait behind it, although it is not known yet that it holds the lock. */
    Waiters awaited() {
        return awaited;
    }

    void awaited(Waiters waiters) {
        awaited = waiters;
    }

    void granted(Reservation granted) {
        reservation = granted;
        call();
    }

    /**
     * The lock that the seat was told of.
     *
     * @return the grant, and its deadline; or null if none is known, or it is old
     */
    public @Nullable Claim claim() {
        Reservation granted = reservation;
        Answer asked = answer;
        if (granted == null || asked == null || granted.atMicros() < asked.storeMicros()) {
            return null;
        }
        long micros = granted.untilMicros() - asked.storeMicros() - 1;
        return new Claim(granted, asked.askedAt() + TimeUnit.MICROSECONDS.toNanos(micros));
    }

    /**
     * A lock that a message has granted.
     *
     * @param reservation the grant
     * @param deadline until when it is certainly held unless it is confirmed, on the ticker
     */
    public record Claim(Reservation reservation, long deadline) {}

    /** It is worth while to ask now. */
    void call() {
        called = true;
        Thread thread = waiter;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }

    void close() {
        closed = true;
        call();
    }

    /**
     * Waits until it is worth while to ask the store.
     *
     * @param budget ends the wait
     * @param pause how time passes
     * @param interruptible whether an interrupt ends the wait; if not, it is kept
     * @throws InterruptedException if interrupted, and {@code interruptible}
     * @throws IllegalStateException if the client is closed
     */
    public void await(Budget budget, Pause pause, boolean interruptible) throws InterruptedException {
        boolean interrupted = false;
        waiter = Thread.currentThread();
        try {
            while (!called && !closed && budget.remainingNanos() > 0) {
                interrupted |= pause.pause(budget.remainingNanos(), interruptible);
            }
        } finally {
            waiter = null;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (closed) {
            throw Gates.closedClient();
        }
    }
}
