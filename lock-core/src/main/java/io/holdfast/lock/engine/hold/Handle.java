package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockData;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockException;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.LockStore.Pending;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.threads.DaemonThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handle that a caller closes: a use of one hold, or of several together, which count as held while all are held, and as
 * lost when one is lost.
 *
 * <p>It is closed once, by the first thread that does so. Each hold counts its use exactly once, and removes or detaches it at most once,
 * under its own monitor, whichever threads detach and close the handle.
 *
 * <p>Closing it gives the locks back: it hands them to the next caller in line, or releases them at the store, and handles the
 * losses and failures that the store reports.
 *
 * <p><b>No lock is left behind.</b> Whatever the store throws, expected or not, the failure is logged, the release is retried in the
 * background, the next caller in line gets its turn, and the hold is removed from all records; and a failure with one of several
 * locks does not affect the others ({@link ClientContext#all}). None of these failures is thrown, because the work was done under
 * the lock. A loss is recorded in the use, and thrown at the end.
 */
public final class Handle implements LockHandle, AcquireResult {

    private static final Logger log = LoggerFactory.getLogger(Handle.class);

    private final AtomicBoolean closed = new AtomicBoolean();
    private final HeldLocks locks;
    private final Map<LockKey, Hold> thread;
    final List<Hold.Use> uses;

    /**
     * @param thread the holds of its thread or task
     * @param uses in the order in which the locks were acquired, at least one
     */
    public Handle(HeldLocks locks, Map<LockKey, Hold> thread, List<Hold.Use> uses) {
        this.locks = locks;
        this.thread = thread;
        this.uses = uses;
    }

    /** Combines several handles of one caller into one; the parts must no longer be used. */
    public static Handle of(List<Handle> parts) {
        Handle first = parts.get(0);
        List<Hold.Use> uses = parts.stream().flatMap(part -> part.uses.stream()).toList();
        return new Handle(first.locks, first.thread, uses);
    }

    @Override
    public LockKey key() {
        return uses.get(0).hold.key();
    }

    @Override
    public List<LockKey> keys() {
        return uses.stream().map(use -> use.hold.key()).toList();
    }

    /** Records that {@code Lock} views opened it, and will close it. */
    public void lockedByView() {
        uses.forEach(use -> use.ofView = true);
    }

    @Override
    public long fencingToken() {
        if (uses.size() > 1) {
            throw new IllegalStateException(
                    "This handle covers several keys, each with its own fencing token; call fencingToken(key) with one of "
                            + keys());
        }
        return uses.get(0).hold.token();
    }

    @Override
    public long fencingToken(LockKey key) {
        return uses.stream()
                .map(use -> use.hold)
                .filter(hold -> hold.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "This handle covers " + keys() + ", not '" + (key().isMasked() ? key.masked() : key) + "'"))
                .token();
    }

    @Override
    public boolean isHeld() {
        return !closed.get() && uses.stream().allMatch(use -> use.hold.isLive());
    }

    @Override
    public Duration remaining() {
        return uses.stream()
                .map(use -> closed.get() ? Duration.ZERO : use.hold.remaining())
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    @Override
    public void ensureHeld() {
        ensureOpen();
        uses.forEach(use -> use.hold.throwIfLost());
    }

    private void ensureOpen() {
        if (closed.get()) {
            throw new IllegalStateException("This handle for lock '" + key() + "' was closed; acquire the lock again");
        }
    }

    @Override
    public void extend(Duration atLeast) {
        var unused = LockRequest.of(key()).lease(atLeast); // checks the range
        ensureHeld();
        uses.forEach(use -> locks.extend(use.hold, atLeast.toNanos()));
    }

    @Override
    public LockData data() {
        return data(null);
    }

    @Override
    public void saveData(byte[] bytes) {
        if (bytes.length > locks.maxDataSize) {
            throw new IllegalArgumentException("The data of lock '" + key() + "' has " + bytes.length
                    + " bytes, but holdfast.max-data-size is " + locks.maxDataSize
                    + ". Save a reference to it, or raise the limit.");
        }
        var unused = data(bytes.clone());
    }

    /** Only requests for a single lock have data. */
    private LockData data(byte @Nullable [] value) {
        Hold.Use use = uses.get(0);
        if (use.terms.dataKeep().isZero()) {
            throw new IllegalStateException(
                    "Lock '" + key() + "' was acquired without data. Add withData to its request.");
        }
        ensureHeld();
        return locks.data(use.hold, use.hold.dataRequest(value, use.terms.dataKeep()));
    }

    @Override
    public void onLost(Consumer<LockEvent.Lost> action) {
        ensureOpen();
        CompletableFuture<LockEvent.Lost> first = new CompletableFuture<>();
        var unused = first.thenAccept(lost -> EventPublisher.guarded(() -> action.accept(lost)));
        for (Hold.Use use : uses) {
            use.hold.addLossAction(first::complete);
            LockEvent.Lost known = use.hold.loss();
            if (known != null) {
                first.complete(known);
            }
        }
    }

    @Override
    public LockHandle detach() {
        ensureOpen();
        for (Hold.Use use : uses) {
            use.hold.detach(use);
            use.endInterrupt();
            forgetThread(use.hold);
        }
        return this;
    }

    /**
     * Removes the hold from the records of the thread once no use is attached to the thread any more. A lost hold that was abandoned stays
     * until then, so that each {@code unlock} reports the loss. The thread that lowers the count to zero also reads zero here, and
     * after that the count does not rise again.
     */
    private void forgetThread(Hold hold) {
        if (hold.attached == 0) {
            thread.remove(hold.key(), hold);
        }
    }

    @Override
    public void close() {
        closeAfter(null);
    }

    @Override
    public CompletableFuture<@Nullable Void> closeAsync() {
        CompletableFuture<@Nullable Void> released = new CompletableFuture<>();
        DaemonThreads.executeOrRun(locks.releasing, () -> {
            try {
                close();
                released.complete(null);
            } catch (Throwable lost) {
                released.completeExceptionally(lost);
            }
        });
        return released;
    }

    /**
     * Closes all uses in reverse order, whatever happens. Throws the first loss found, with the failure of the guarded code as a
     * suppressed exception, unless that code failed because of that very loss.
     *
     * @param failure what the guarded code threw, or null
     */
    public void closeAfter(@Nullable Throwable failure) {
        if (closed.getAndSet(true)) {
            return;
        }
        List<Hold.Use> reversed = uses;
        if (uses.size() > 1) {
            reversed = new ArrayList<>(uses);
            Collections.reverse(reversed);
        }
        List<Hold.Use> last = new ArrayList<>(0);
        try {
            ClientContext.each(reversed, use -> beginClose(use, last));
        } finally { // if both fail, the second failure is thrown, and the first is lost
            end(last);
        }
        for (Hold.Use use : reversed) {
            LockEvent.Lost found = use.loss;
            boolean known = failure instanceof LockLostException lost
                    && lost.key().equals(use.hold.key())
                    && lost.fencingToken() == use.hold.token();
            if (found != null && !known) {
                LockLostException exception = new LockLostException(found);
                if (failure != null) {
                    exception.addSuppressed(failure);
                }
                throw exception;
            }
        }
    }

    /**
     * Closes a use without giving back its lock. If it was the last use of its hold, adds it to the list for
     * {@link #end(List)}.
     */
    private void beginClose(Hold.Use use, List<Hold.Use> last) {
        Hold hold = use.hold;
        if (use.attached && use.terms.interrupting()) {
            use.endInterrupt();
        }
        use.loss = hold.loss();
        Hold.Exit exit = hold.exit(use);
        if (exit == Hold.Exit.ENDS) {
            last.add(use);
        }
        forgetThread(hold);
        if (exit == Hold.Exit.DOWNGRADES && use.loss == null) {
            use.loss = downgrade(hold);
        }
    }

    /**
     * Closes handles of locks that are not needed after all, and therefore are not kept for their {@code minHold}. A loss does
     * not matter, and has been reported to listeners.
     */
    public static void giveBack(List<Handle> parts) {
        if (!parts.isEmpty()) {
            try {
                of(parts).unused().close();
            } catch (LockException e) {
                log.debug("A lock that was given back unused had been lost", e);
            }
        }
    }

    /**
     * Records that no work was begun under this handle, so that closing it does not keep its locks for their {@code minHold}. This
     * does not apply to a lock that it has reentered: a request with {@code minHold} does not reenter, so the {@code minHold} of such
     * a lock is that of another request.
     */
    public Handle unused() {
        uses.forEach(use -> use.hold.unused = use.terms.minHoldNanos() > 0);
        return this;
    }

    /** {@return whether a loss interrupts the work} */
    public boolean interruptsOnLoss() {
        return uses.stream().anyMatch(use -> use.terms.interrupting());
    }

    /** Makes a loss interrupt the current thread from now on, if {@link #interruptsOnLoss}. */
    public void interruptOnLoss() {
        for (Hold.Use use : uses) {
            if (use.terms.interrupting()) {
                use.interruptOnLoss();
            }
        }
    }

    // Giving back.

    /**
     * Ends the holds of which these were the last uses: first, in one call, those that no other caller of this client is in line for;
     * then the others, one after another. So when one of the latter is handed off to a thread, the former have already been given
     * back.
     */
    private void end(List<Hold.Use> last) {
        if (last.isEmpty()) {
            return;
        }
        List<Hold.Use> free = new ArrayList<>(last);
        free.removeIf(use -> use.loss != null || use.hold.place.hasFollowers());
        List<Hold.Use> together = free.size() > 1 ? free : List.of();
        last.removeAll(together);
        ClientContext.all(() -> releaseAll(together), () -> ClientContext.each(last, this::end));
    }

    /**
     * Hands the lock off only if this use needed it exclusively: otherwise it is shared at the store, or about to be. The hold stays
     * recorded until the store has confirmed the release, so that {@link HeldLocks#drain} waits for that too.
     */
    private void end(Hold.Use use) {
        Hold hold = use.hold;
        try {
            if (use.loss != null) {
                locks.client.cleanup.undoHold(hold.key(), hold.owner(), hold.leaseNanos());
            } else if (use.terms.isExclusive() && hold.loss() == null && hold.handOff()) {
                publishReleased(hold);
            } else {
                ReleaseRequest request = request(hold);
                release(use, request, () -> locks.client.store.release(request), false);
            }
        } finally {
            forget(hold);
        }
    }

    private void forget(Hold hold) {
        try {
            hold.place.leave();
        } finally {
            locks.remove(hold);
        }
    }

    /** Releases several locks in one call, and ends their holds. */
    private void releaseAll(List<Hold.Use> uses) {
        if (uses.isEmpty()) {
            return;
        }
        List<ReleaseRequest> requests =
                uses.stream().map(use -> request(use.hold)).toList();
        AtomicBoolean resent = new AtomicBoolean();
        List<Pending<ReleaseReply>> calls = send(requests, resent);
        ClientContext.all(
                () -> ClientContext.each(
                        IntStream.range(0, uses.size()).boxed().toList(),
                        i -> release(uses.get(i), requests.get(i), calls.get(i), resent.get())),
                () -> ClientContext.each(uses, use -> forget(use.hold)));
    }

    private List<Pending<ReleaseReply>> send(List<ReleaseRequest> requests, AtomicBoolean resent) {
        try {
            List<Pending<ReleaseReply>> calls = ClientContext.uninterruptibly(
                    () -> locks.client.store.releaseAll(requests), () -> resent.set(true));
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
        long longest = Math.max(hold.leaseNanos(), hold.deadline() - locks.client.ticker.nanos());
        return hold.releaseRequest(TimeUnit.NANOSECONDS.toMillis(longest));
    }

    /**
     * Completes a call to the store, and handles its reply: a loss, or a failure to be retried in the background. A call that
     * an interrupt has broken is sent again.
     *
     * @param resent whether it has already been sent again
     */
    private void release(Hold.Use use, ReleaseRequest request, Pending<ReleaseReply> call, boolean resent) {
        Hold hold = use.hold;
        AtomicBoolean again = new AtomicBoolean();
        try {
            ReleaseReply reply = ClientContext.uninterruptibly(
                    () -> again.get() ? locks.client.store.release(request) : call.await(), () -> again.set(true));
            if (isSurelyGone(hold, reply, resent || again.get())) {
                use.loss = hold.lose(LossCause.REVOKED);
                return;
            }
        } catch (RuntimeException | Error e) {
            locks.releaseLater(hold); // first, in case that logging fails
            warn(
                    "Failed to release lock '{}', held for {}; retrying in the background until the lease expires: {}",
                    hold,
                    e);
        }
        if (hold.grant.resent() && request.keep().isZero()) {
            locks.client.cleanup.undoHold(hold.key(), hold.owner(), hold.leaseNanos());
        }
        publishReleased(hold);
    }

    /** The last exclusive handle was closed, but others are open. If Redis fails, the downgrade is only delayed. */
    private LockEvent.@Nullable Lost downgrade(Hold hold) {
        long lastFencingToken = hold.place.lastFencingToken();
        try {
            AtomicBoolean resent = new AtomicBoolean();
            ReleaseReply reply = ClientContext.uninterruptibly(
                    () -> {
                        confirm(hold);
                        return locks.client.store.downgrade(hold.key(), hold.owner(), lastFencingToken);
                    },
                    () -> resent.set(true));
            if (isSurelyGone(hold, reply, resent.get())) {
                return hold.isOpen() ? hold.lose(LossCause.REVOKED) : null;
            }
        } catch (RuntimeException | Error e) {
            locks.client.cleanup.downgrade(hold.key(), hold.owner(), lastFencingToken, hold.leaseNanos());
            warn("Failed to downgrade lock '{}', held for {}, to shared; retrying in the background: {}", hold, e);
        } finally {
            hold.place.leave();
        }
        return null;
    }

    /**
     * A downgrade keeps the end of the lease, so a reservation that ends later than the lease is first replaced with
     * the lease.
     */
    private void confirm(Hold hold) {
        if (hold.leastMillis() > Hold.LOOK_MILLIS && hold.leaseNanos() < LockStore.RESERVATION.toNanos()) {
            locks.client.store.extend(hold.renewRequest(hold.leastMillis()));
        }
    }

    /** An unexpected failure is logged with its stack trace. */
    private static void warn(String message, Hold hold, Throwable e) {
        boolean known = e instanceof LockStoreException;
        String reason = known ? e.getMessage() : e.toString();
        log.warn(message, hold.key(), DurationText.of(hold.heldFor()), reason, known ? null : e);
    }

    /** Whether the store no longer has a lease that it should still have, and the call was sent only once. */
    private boolean isSurelyGone(Hold hold, ReleaseReply reply, boolean resent) {
        return reply == ReleaseReply.NOT_HOLDER && !resent && locks.client.ticker.nanos() - hold.deadline() < 0;
    }

    private void publishReleased(Hold hold) {
        if (locks.events.hasListeners()) {
            locks.events.publish(new LockEvent.Released(hold.key(), hold.name(), hold.token(), hold.heldFor()));
        }
    }

    @Override
    public String toString() {
        return uses.stream()
                .map(use -> use.hold.key() + ", fencing token " + use.hold.token())
                .collect(Collectors.joining("; ", "LockHandle[", "]"));
    }
}
