package io.holdfast.lock.engine.acquire;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.waiting.Front;
import java.time.Duration;

/** The repeated calls of an {@link Acquisition} to the store, and what the last reply means. */
final class Question {

    private final ClientContext client;
    private final Call call;
    private final Terms terms;
    private final HolderInfo holder;
    private final Front front;
    private long sentAt;
    private boolean asked;
    private boolean held;

    /** @param holder the caller, as the store records it */
    Question(ClientContext client, Call call, HolderInfo holder, Front front) {
        this.client = client;
        this.call = call;
        this.terms = call.terms();
        this.holder = holder;
        this.front = front;
    }

    /** When the store was last called, on the ticker, before the send. */
    long sentAt() {
        return sentAt;
    }

    /** Whether the store has not been called yet. */
    boolean isNew() {
        return !asked;
    }

    /** Whether the store has ever replied that the lock is held. */
    boolean wasHeld() {
        return held;
    }

    /**
     * Calls the store once.
     *
     * @param waiting whether an entry in the queue is wanted, or kept, if the lock is not free
     */
    AcquireReply ask(boolean waiting) {
        AcquireRequest request = call.request(front.owner(), holder, waiting, front.tokens(terms.leaseMillis()));
        front.asking();
        asked = true;
        sentAt = client.ticker().nanos();
        AcquireReply reply = call.caller().interruptible()
                ? client.store().acquire(request)
                : ClientContext.uninterruptibly(() -> client.store().acquire(request), front::markResent);
        held |= reply instanceof AcquireReply.Held;
        front.answered(waiting);
        if (isResent(reply)) {
            front.markResent();
        }
        return reply;
    }

    private static boolean isResent(AcquireReply reply) {
        return (reply instanceof AcquireReply.Granted granted && granted.resent())
                || (reply instanceof AcquireReply.Held held && held.resent());
    }

    /** The lock, granted by the last reply. */
    Hold.Grant granted(AcquireReply.Granted granted) {
        return call.granted(front.owner(), granted, sentAt, front.isResent());
    }

    /** No holder is known, so this is not contention. */
    LockStoreException tooLate(AcquireReply reply) {
        String why = reply instanceof AcquireReply.Granted
                ? "was granted by Redis, but its lease of "
                        + DurationText.of(Duration.ofMillis(terms.leaseMillis()))
                        + " had already expired when the reply arrived, after "
                        + DurationText.of(Duration.ofNanos(client.ticker().nanos() - sentAt))
                        + ". The grant is being undone. Check why Redis, the network or this process is slow, or"
                        + " use a longer lease."
                : "was not granted by Redis, because this acquisition had already been cancelled. The current holder"
                        + " is unknown.";
        return new LockStoreException("Lock '" + call.key() + "' " + why, null, false);
    }
}
