package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.Each;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.lease.Lease;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewRequest;
import java.util.ArrayList;
import java.util.BitSet;
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
 * not concern the others ({@link Each}). So nothing is thrown here but a loss: the work was done under the lock.
 */
final class Releases {

    private static final Logger log = LoggerFactory.getLogger(Releases.class);

    private final ClientContext client;
    private final ThreadHolds holds;
    private final EventPublisher events;

    Releases(ClientContext client, ThreadHolds holds, EventPublisher events) {
        this.client = client;
        this.holds = holds;
        this.events = events;
    }

    /**
     * The outcome of a close.
     *
     * @param loss the loss, if the lock was lost before its release
     * @param ends whether the lock has yet to be given back
     * @param alone whether the handle needed it exclusively
     */
    record Closed(Hold hold, LockEvent.@Nullable Lost loss, boolean ends, boolean alone) {}

    /**
     * Hands the lock off only if the last handle needed it exclusively: otherwise it is shared at the store, or about to be. It
     * stays recorded until the store has confirmed the release, so that {@link ThreadHolds#awaitNone} waits for that too.
     */
    LockEvent.@Nullable Lost end(Closed closed) {
        if (!closed.ends()) {
            return closed.loss();
        }
        Hold hold = closed.hold();
        try {
            if (closed.loss() != null) {
                Lease lease = hold.lease();
                client.cleanup().undoHold(lease.key(), lease.owner(), lease.leaseNanos());
                return closed.loss();
            }
            if (handOff(hold, closed.alone())) {
                return null;
            }
            return release(hold);
        } finally {
            forget(hold);
        }
    }

    private void forget(Hold hold) {
        try {
            hold.leaveLine();
        } finally {
            holds.remove(hold.lease());
        }
    }

    /**
     * Ends locks that were closed together: first, in one call, those that no other caller of this client is in line for; then
     * the others, one after the other. So a thread to which one of these is handed off finds the rest given back.
     *
     * @return for each lock its loss, if it was lost before its release
     */
    List<LockEvent.@Nullable Lost> endAll(List<Closed> closed) {
        List<LockEvent.@Nullable Lost> losses = new ArrayList<>(Collections.nCopies(closed.size(), null));
        BitSet together = new BitSet(closed.size());
        IntStream.range(0, closed.size())
                .filter(i -> isForTheStore(closed.get(i)))
                .forEach(together::set);
        if (together.cardinality() == 1) {
            together.clear();
        }
        List<Integer> alone = IntStream.range(0, closed.size())
                .filter(i -> !together.get(i))
                .boxed()
                .toList();
        Each.run(
                () -> releaseAll(closed, together.stream().boxed().toList(), losses),
                () -> Each.run(alone, i -> losses.set(i, end(closed.get(i)))));
        return losses;
    }

    private static boolean isForTheStore(Closed closed) {
        return closed.ends() && closed.loss() == null && !closed.hold().hasFollowers();
    }

    private void releaseAll(List<Closed> closed, List<Integer> which, List<LockEvent.@Nullable Lost> losses) {
        if (which.isEmpty()) {
            return;
        }
        List<Hold> ended = which.stream().map(i -> closed.get(i).hold()).toList();
        List<ReleaseRequest> requests = ended.stream().map(this::releaseRequest).toList();
        AtomicBoolean resent = new AtomicBoolean();
        List<Supplier<ReleaseReply>> replies = replies(requests, resent);
        Each.run(
                () -> Each.run(IntStream.range(0, ended.size()).boxed().toList(), i -> {
                    losses.set(which.get(i), finish(ended.get(i), requests.get(i), replies.get(i), resent));
                }),
                () -> Each.run(ended, this::forget));
    }

    /** The store's reply for each. If an interrupt has broken the call, all are sent again. */
    private List<Supplier<ReleaseReply>> replies(List<ReleaseRequest> requests, AtomicBoolean resent) {
        try {
            List<Supplier<ReleaseReply>> replies = ClientContext.uninterruptibly(
                    () -> client.store().releaseAll(requests).stream()
                            .map(Releases::await)
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

    private boolean handOff(Hold hold, boolean alone) {
        Lease lease = hold.lease();
        boolean handedOff =
                alone && lease.loss() == null && hold.handOff(client.ticker().nanos());
        if (handedOff) {
            publishReleased(lease);
        }
        return handedOff;
    }

    private LockEvent.@Nullable Lost release(Hold hold) {
        ReleaseRequest request = releaseRequest(hold);
        AtomicBoolean resent = new AtomicBoolean();
        return finish(hold, request, () -> ask(() -> client.store().release(request), resent), resent);
    }

    private ReleaseRequest releaseRequest(Hold hold) {
        Lease lease = hold.lease();
        long longest =
                Math.max(lease.leaseNanos(), lease.deadline() - client.ticker().nanos());
        return hold.releaseRequest(TimeUnit.NANOSECONDS.toMillis(longest));
    }

    /** Handles the store's reply to a release: a loss, or a failure to be retried in the background. */
    private LockEvent.@Nullable Lost finish(
            Hold hold, ReleaseRequest request, Supplier<ReleaseReply> reply, AtomicBoolean resent) {
        Lease lease = hold.lease();
        try {
            if (isSurelyGone(lease, reply.get(), resent)) {
                return lease.lose(LossCause.REVOKED);
            }
        } catch (RuntimeException | Error e) {
            log.warn(
                    "Failed to release lock '{}', held for {}; retrying in the background until the lease"
                            + " expires: {}",
                    lease.key(),
                    DurationText.of(lease.held()),
                    reason(e),
                    unexpected(e));
            hold.releaseLater(client.cleanup());
        }
        if (hold.isResent()) {
            client.cleanup().cancel(lease.key(), lease.owner(), lease.leaseNanos(), request.keep());
        }
        publishReleased(lease);
        return null;
    }

    /** The last exclusive handle was closed, others are open. If Redis fails, the downgrade only happens later. */
    LockEvent.@Nullable Lost downgrade(Hold hold) {
        Lease lease = hold.lease();
        long lastToken = hold.lastToken();
        try {
            AtomicBoolean resent = new AtomicBoolean();
            ReleaseReply reply = ask(
                    () -> {
                        confirm(lease);
                        return client.store().downgrade(lease.key(), lease.owner(), lastToken);
                    },
                    resent);
            if (isSurelyGone(lease, reply, resent)) {
                return lease.isOpen() ? lease.lose(LossCause.REVOKED) : null;
            }
        } catch (RuntimeException | Error e) {
            log.warn(
                    "Failed to downgrade lock '{}' to shared; retrying in the background: {}",
                    lease.key(),
                    reason(e),
                    unexpected(e));
            client.cleanup().downgrade(lease.key(), lease.owner(), lastToken, lease.leaseNanos());
        } finally {
            hold.leaveLine();
        }
        return null;
    }

    /** A downgrade keeps the end of the lease. A reservation that ends later is replaced by the lease before. */
    private void confirm(Lease lease) {
        if (lease.leastMillis() > Lease.LOOK_MILLIS && lease.leaseNanos() < LockStore.RESERVATION.toNanos()) {
            client.store().extend(new RenewRequest(lease.key(), lease.owner(), lease.leastMillis()));
        }
    }

    private static @Nullable String reason(Throwable e) {
        return e instanceof LockStoreException ? e.getMessage() : e.toString();
    }

    /** What is logged with its stack trace. */
    private static @Nullable Throwable unexpected(Throwable e) {
        return e instanceof LockStoreException ? null : e;
    }

    private static ReleaseReply ask(Supplier<ReleaseReply> call, AtomicBoolean resent) {
        return ClientContext.uninterruptibly(call, () -> resent.set(true));
    }

    /** Whether the store does not know a lease that it should still know, and the call was sent only once. */
    private boolean isSurelyGone(Lease lease, ReleaseReply reply, AtomicBoolean resent) {
        return reply == ReleaseReply.NOT_HOLDER
                && !resent.get()
                && client.ticker().nanos() - lease.deadline() < 0;
    }

    private void publishReleased(Lease lease) {
        if (events.hasListeners()) {
            events.publish(new LockEvent.Released(lease.key(), lease.name(), lease.token(), lease.held()));
        }
    }
}
