package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.Each;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.LockStore.Pending;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives locks back: hands them to the next one in line, or releases them at the store; and handles losses and failures that the
 * store reports.
 *
 * <p><b>No lock is left behind.</b> Whatever the store throws, expected or not, the release is logged and retried in the background,
 * the next one in line gets its turn, and the hold is removed from all records; and what goes wrong with one of several locks does
 * not concern the others ({@link Each}). So nothing is thrown here: the work was done under the lock. A loss is left with the handle,
 * which throws it.
 */
final class Release {

    private static final Logger log = LoggerFactory.getLogger(Release.class);

    private final ClientContext client;
    private final HeldLocks locks;
    private final EventPublisher events;

    Release(ClientContext client, HeldLocks locks, EventPublisher events) {
        this.client = client;
        this.locks = locks;
        this.events = events;
    }

    /**
     * Ends the holds of which these uses were the last: first, in one call, those that no other caller of this client is in line for;
     * then the others, one after the other. So a thread to which one of these is handed off finds the rest given back.
     */
    void end(List<Hold.Use> closed) {
        List<Hold.Use> free = closed.size() == 1
                ? List.of()
                : closed.stream()
                        .filter(use ->
                                use.last && use.loss == null && !use.hold().hasFollowers())
                        .toList();
        List<Hold.Use> together = free.size() > 1 ? free : List.of();
        Each.run(
                () -> releaseAll(together),
                () -> Each.run(closed, use -> {
                    if (use.last && !together.contains(use)) {
                        end(use);
                    }
                }));
    }

    /**
     * Hands the lock off only if this use needed it exclusively: otherwise it is shared at the store, or about to be. The hold stays
     * recorded until the store has confirmed the release, so that {@link HeldLocks#drain} waits for that too.
     */
    private void end(Hold.Use use) {
        Hold hold = use.hold();
        try {
            if (use.loss != null) {
                client.cleanup().undoHold(hold.key(), hold.owner(), hold.leaseNanos());
            } else if (use.terms.isExclusive() && hold.loss() == null && hold.handOff()) {
                publishReleased(hold);
            } else {
                ReleaseRequest request = request(hold);
                release(use, request, () -> client.store().release(request), false);
            }
        } finally {
            forget(hold);
        }
    }

    private void forget(Hold hold) {
        try {
            hold.leaveLine();
        } finally {
            locks.remove(hold);
        }
    }

    private void releaseAll(List<Hold.Use> uses) {
        if (uses.isEmpty()) {
            return;
        }
        List<ReleaseRequest> requests =
                uses.stream().map(use -> request(use.hold())).toList();
        AtomicBoolean resent = new AtomicBoolean();
        List<Pending<ReleaseReply>> calls = send(requests, resent);
        Each.run(
                () -> Each.run(
                        IntStream.range(0, uses.size()).boxed().toList(),
                        i -> release(uses.get(i), requests.get(i), calls.get(i), resent.get())),
                () -> Each.run(uses, use -> forget(use.hold())));
    }

    private List<Pending<ReleaseReply>> send(List<ReleaseRequest> requests, AtomicBoolean resent) {
        try {
            List<Pending<ReleaseReply>> calls =
                    ClientContext.uninterruptibly(() -> client.store().releaseAll(requests), () -> resent.set(true));
            if (calls.size() != requests.size()) {
                throw new IllegalStateException(
                        "The store returned " + calls.size() + " replies to " + requests.size() + " releases");
            }
            return calls;
        } catch (RuntimeException | Error e) {
            return Collections.nCopies(requests.size(), () -> {
                throw e;
            });
        }
    }

    private ReleaseRequest request(Hold hold) {
        long longest =
                Math.max(hold.leaseNanos(), hold.deadline() - client.ticker().nanos());
        return hold.releaseRequest(TimeUnit.NANOSECONDS.toMillis(longest));
    }

    /**
     * Finishes a call of the store, and handles its reply: a loss, or a failure to be retried in the background. A call that an
     * interrupt has broken is sent again.
     *
     * @param resent whether it was sent again before
     */
    private void release(Hold.Use use, ReleaseRequest request, Pending<ReleaseReply> call, boolean resent) {
        Hold hold = use.hold();
        AtomicBoolean again = new AtomicBoolean();
        try {
            ReleaseReply reply = ClientContext.uninterruptibly(
                    () -> again.get() ? client.store().release(request) : call.await(), () -> again.set(true));
            if (isSurelyGone(hold, reply, resent || again.get())) {
                use.loss = hold.lose(LossCause.REVOKED);
                return;
            }
        } catch (RuntimeException | Error e) {
            log.warn(
                    "Failed to release lock '{}', held for {}; retrying in the background until the lease"
                            + " expires: {}",
                    hold.key(),
                    DurationText.of(hold.held()),
                    reason(e),
                    unexpected(e));
            locks.releaseLater(hold);
        }
        if (hold.grant().resent() && request.keep().isZero()) {
            client.cleanup().undoHold(hold.key(), hold.owner(), hold.leaseNanos());
        }
        publishReleased(hold);
    }

    /** The last exclusive handle was closed, others are open. If Redis fails, the downgrade only happens later. */
    LockEvent.@Nullable Lost downgrade(Hold hold) {
        long lastToken = hold.lastToken();
        try {
            AtomicBoolean resent = new AtomicBoolean();
            ReleaseReply reply = ClientContext.uninterruptibly(
                    () -> {
                        confirm(hold);
                        return client.store().downgrade(hold.key(), hold.owner(), lastToken);
                    },
                    () -> resent.set(true));
            if (isSurelyGone(hold, reply, resent.get())) {
                return hold.isOpen() ? hold.lose(LossCause.REVOKED) : null;
            }
        } catch (RuntimeException | Error e) {
            log.warn(
                    "Failed to downgrade lock '{}' to shared; retrying in the background: {}",
                    hold.key(),
                    reason(e),
                    unexpected(e));
            client.cleanup().downgrade(hold.key(), hold.owner(), lastToken, hold.leaseNanos());
        } finally {
            hold.leaveLine();
        }
        return null;
    }

    /** A downgrade keeps the end of the lease. A reservation that ends later is replaced by the lease before. */
    private void confirm(Hold hold) {
        if (hold.leastMillis() > Hold.LOOK_MILLIS && hold.leaseNanos() < LockStore.RESERVATION.toNanos()) {
            client.store().extend(hold.renewRequest(hold.leastMillis()));
        }
    }

    private static @Nullable String reason(Throwable e) {
        return e instanceof LockStoreException ? e.getMessage() : e.toString();
    }

    /** What is logged with its stack trace. */
    private static @Nullable Throwable unexpected(Throwable e) {
        return e instanceof LockStoreException ? null : e;
    }

    /** Whether the store does not know a lease that it should still know, and the call was sent only once. */
    private boolean isSurelyGone(Hold hold, ReleaseReply reply, boolean resent) {
        return reply == ReleaseReply.NOT_HOLDER && !resent && client.ticker().nanos() - hold.deadline() < 0;
    }

    private void publishReleased(Hold hold) {
        if (events.hasListeners()) {
            events.publish(new LockEvent.Released(hold.key(), hold.name(), hold.token(), hold.held()));
        }
    }
}
