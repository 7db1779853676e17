package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.Each;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
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
     * Ends the hold of a handle that was the last one. Hands the lock off only if that handle needed it exclusively: otherwise it is
     * shared at the store, or about to be. It stays recorded until the store has confirmed the release, so that {@link
     * HeldLocks#drain} waits for that too.
     */
    void end(Handle handle) {
        if (!handle.last) {
            return;
        }
        Hold hold = handle.hold;
        try {
            if (handle.loss != null) {
                client.cleanup().undoHold(hold.key(), hold.owner(), hold.leaseNanos());
            } else if (handle.isExclusive() && hold.loss() == null && hold.handOff()) {
                publishReleased(hold);
            } else {
                handle.loss = release(hold);
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

    /**
     * Ends holds that were closed together: first, in one call, those that no other caller of this client is in line for; then the
     * others, one after the other. So a thread to which one of these is handed off finds the rest given back.
     */
    void endAll(List<Handle> closed) {
        List<Handle> free = closed.stream()
                .filter(handle -> handle.last && handle.loss == null && !handle.hold.hasFollowers())
                .toList();
        List<Handle> together = free.size() > 1 ? free : List.of();
        List<Handle> alone =
                closed.stream().filter(handle -> !together.contains(handle)).toList();
        Each.run(() -> releaseAll(together), () -> Each.run(alone, this::end));
    }

    private void releaseAll(List<Handle> handles) {
        if (handles.isEmpty()) {
            return;
        }
        List<ReleaseRequest> requests =
                handles.stream().map(handle -> request(handle.hold)).toList();
        AtomicBoolean resent = new AtomicBoolean();
        List<Supplier<ReleaseReply>> replies = replies(requests, resent);
        Each.run(
                () -> Each.run(IntStream.range(0, handles.size()).boxed().toList(), i -> {
                    Handle handle = handles.get(i);
                    handle.loss = finish(handle.hold, requests.get(i), replies.get(i), resent);
                }),
                () -> Each.run(handles, handle -> forget(handle.hold)));
    }

    /** The store's reply for each. If an interrupt has broken the call, all are sent again. */
    private List<Supplier<ReleaseReply>> replies(List<ReleaseRequest> requests, AtomicBoolean resent) {
        try {
            List<Supplier<ReleaseReply>> replies = ClientContext.uninterruptibly(
                    () -> client.store().releaseAll(requests).stream()
                            .map(Release::await)
                            .toList(),
                    () -> resent.set(true));
            if (replies.size() != requests.size()) {
                throw new IllegalStateException(
                        "The store returned " + replies.size() + " replies to " + requests.size() + " releases");
            }
            return replies;
        } catch (RuntimeException | Error e) {
            return Collections.nCopies(requests.size(), failing(e));
        }
    }

    private static Supplier<ReleaseReply> failing(Throwable e) {
        return () -> {
            if (e instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) e;
        };
    }

    private static Supplier<ReleaseReply> await(LockStore.Pending<ReleaseReply> pending) {
        try {
            ReleaseReply reply = pending.await();
            return () -> reply;
        } catch (RuntimeException | Error e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            return failing(e);
        }
    }

    private LockEvent.@Nullable Lost release(Hold hold) {
        ReleaseRequest request = request(hold);
        AtomicBoolean resent = new AtomicBoolean();
        return finish(
                hold,
                request,
                () -> ClientContext.uninterruptibly(() -> client.store().release(request), () -> resent.set(true)),
                resent);
    }

    private ReleaseRequest request(Hold hold) {
        long longest =
                Math.max(hold.leaseNanos(), hold.deadline() - client.ticker().nanos());
        return hold.releaseRequest(TimeUnit.NANOSECONDS.toMillis(longest));
    }

    /** Handles the store's reply to a release: a loss, or a failure to be retried in the background. */
    private LockEvent.@Nullable Lost finish(
            Hold hold, ReleaseRequest request, Supplier<ReleaseReply> reply, AtomicBoolean resent) {
        try {
            if (isSurelyGone(hold, reply.get(), resent)) {
                return hold.lose(LossCause.REVOKED);
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
            client.cleanup().cancel(hold.key(), hold.owner(), hold.leaseNanos());
        }
        publishReleased(hold);
        return null;
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
            if (isSurelyGone(hold, reply, resent)) {
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
    private boolean isSurelyGone(Hold hold, ReleaseReply reply, AtomicBoolean resent) {
        return reply == ReleaseReply.NOT_HOLDER
                && !resent.get()
                && client.ticker().nanos() - hold.deadline() < 0;
    }

    private void publishReleased(Hold hold) {
        if (events.hasListeners()) {
            events.publish(new LockEvent.Released(hold.key(), hold.name(), hold.token(), hold.held()));
        }
    }
}
