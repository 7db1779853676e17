package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockData;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.store.DataRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.threads.DaemonThreads;
import io.holdfast.lock.waiting.LocalQueue;
import io.holdfast.lock.waiting.LocalQueue.Place;
import io.holdfast.lock.waiting.QueueEntry;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The locks that a client holds, by thread and in total. Also controls whether it may acquire more, and how it stops: for good,
 * or while its process is copied.
 *
 * <p>A thread's map is written by that thread, and cleaned by whichever thread closes the last handle, so a handle that is closed
 * elsewhere leaves nothing behind. Whether an entry may still be reentered is decided by the hold alone.
 *
 * <p><b>Threads do not keep the maps.</b> A thread of a server may outlive the application, and with a map that records a lock that
 * was never released, it would keep the application's class loader. So threads refer to their maps weakly, and this object keeps
 * them: as long as a hold is recorded in {@code all}, and if the client is closed or suspended, from then on, because each thread
 * still has to learn of its losses. A map that only its thread refers to is empty.
 *
 * <p><b>A copy holds nothing.</b> {@link #suspend} first refuses new locks, then waits until held locks are released, or declares
 * them lost. A call in progress may still be granted a lock. After recording the lock, the call compares the queue in which it waited,
 * and under whose id it requested the lock, with the current one: if the client has been suspended, or has another queue and id, the lock
 * is given back, and the caller never sees it. {@link #resume} changes both before it admits callers. So every lock that a caller gets was requested under an id
 * that no other copy has.
 */
public final class HeldLocks {

    private static final Logger log = LoggerFactory.getLogger(HeldLocks.class);
    private static final int MAX_EXTENSIONS = 3;
    /** Fewer than the connections of a store, so that many releases at once do not compete for these. */
    private static final int RELEASING_THREADS = 8;

    private enum State {
        OPEN,
        DRAINING,
        SUSPENDED,
        CLOSED
    }

    /** Releases for callers that do not wait. {@code AsyncCalls} ends it. */
    public final ExecutorService releasing = DaemonThreads.pool(RELEASING_THREADS, "holdfast-release-");

    final ClientContext client;
    final EventPublisher events;

    /** The maximum size of the data of a lock, in bytes. */
    final int maxDataSize;

    final Watchdog watchdog;
    private final ThreadLocal<Reference<Map<LockKey, Hold>>> ofThread =
            ThreadLocal.withInitial(() -> new WeakReference<>(null));

    /** With the maps of their threads, which nothing else keeps. */
    private final Map<Hold, Map<LockKey, Hold>> all = new ConcurrentHashMap<>();

    /** The maps of threads that have not closed the handles of locks that they lost because the client was closed or suspended. */
    private final Queue<Map<LockKey, Hold>> unclosed = new ConcurrentLinkedQueue<>();

    private final Map<LockKey, Hold> exclusive = new ConcurrentHashMap<>();
    private volatile State state = State.OPEN;
    private volatile @Nullable CountDownLatch none;

    public HeldLocks(ClientContext client, EventPublisher events, int maxDataSize) {
        this(client, events, maxDataSize, events::publishLater, Watchdog.threads());
        watchdog.clock.start();
    }

    /**
     * Without a clock thread: tests call the watchdog, on virtual time.
     *
     * @param watched receives the watchdog's events
     * @param renewers the threads that renew leases
     */
    HeldLocks(
            ClientContext client,
            EventPublisher events,
            int maxDataSize,
            Consumer<LockEvent> watched,
            ExecutorService renewers) {
        this.client = client;
        this.events = events;
        this.maxDataSize = maxDataSize;
        this.watchdog = new Watchdog(this, watched, renewers);
    }

    // Records.

    /** The current thread's map; handles keep a reference to it, so that other threads can clean it. */
    public Map<LockKey, Hold> ofCurrentThread() {
        Map<LockKey, Hold> holds = ofThread.get().get();
        if (holds == null) {
            holds = new ConcurrentHashMap<>();
            ofThread.set(new WeakReference<>(holds));
        }
        return holds;
    }

    /** Lets the current thread reenter the locks in that map, and no others, while the action runs. */
    public void adopt(Map<LockKey, Hold> others, Runnable action) {
        Reference<Map<LockKey, Hold>> own = ofThread.get();
        ofThread.set(new WeakReference<>(others));
        try {
            action.run();
        } finally {
            ofThread.set(own);
        }
    }

    /** What this client holds now, according to its own records. */
    public Set<Hold> all() {
        return Collections.unmodifiableSet(all.keySet());
    }

    /** The hold of the thread of this client that certainly holds the lock exclusively now, or null. */
    public @Nullable Hold findLive(LockKey key) {
        Hold hold = exclusive.get(key);
        return hold != null && hold.isExclusive() && hold.isLive() ? hold : null;
    }

    /**
     * A caller that acquires and holds locks: a thread, or a task, for which no thread waits.
     *
     * @param holds what it holds, and may reenter
     * @param waiter run when the caller should check whether its acquisition can continue
     * @param task whether it is a task
     * @param bound whether its locks end when the thread dies
     * @param interruptible whether an interrupt of the thread ends the wait; never true for a single try
     */
    public record Caller(
            Map<LockKey, Hold> holds, Runnable waiter, boolean task, boolean bound, boolean interruptible) {

        public static Caller task(Runnable waiter) {
            return new Caller(new ConcurrentHashMap<>(1), waiter, true, false, false);
        }

        private @Nullable Thread boundTo() {
            return bound ? Thread.currentThread() : null;
        }

        /**
         * Throws if the current thread was interrupted and an interrupt ends the wait; clears the interrupt flag.
         *
         * @param failure the exception of a driver that abandoned its call because of the interrupt, or null
         */
        public void throwIfInterrupted(@Nullable Exception failure) throws InterruptedException {
            if (interruptible && Thread.interrupted()) {
                var interrupt = new InterruptedException("Interrupted while waiting for Redis");
                interrupt.initCause(failure);
                throw interrupt;
            }
        }
    }

    /** A caller holds less of a lock than it requests: shared instead of exclusive, or with a lower weight. */
    public static final class WaitsForItself extends IllegalStateException {

        private static final long serialVersionUID = 1;

        private WaitsForItself(Hold hold, String how, String advice) {
            super("This thread holds lock '" + hold.key() + "' " + how + ", so it would deadlock with itself. "
                    + advice);
        }
    }

    /**
     * Opens a hold for a lock that was granted or handed off. The hold is recorded and watched once it has a handle; if no
     * handle can be created, the lock is given back.
     *
     * @param holder the holder, as the store records it
     * @param place the holder's place in line
     */
    public Handle open(Terms terms, QueueEntry.Grant grant, HolderInfo holder, Place place, Caller caller) {
        try {
            Hold hold = new Hold(terms, grant, holder, place, client.ticker, this::lost);
            place.holder(() -> Optional.of(hold.describe(client.id()))); // while it is certainly the front
            Handle handle = handle(hold.open(terms, caller.boundTo()), caller);
            add(hold, caller.holds());
            return handle;
        } catch (RuntimeException | Error e) { // out of memory or threads
            giveBack(terms, grant.owner(), caller, place);
            throw e;
        }
    }

    private Handle handle(Hold.Use use, Caller caller) {
        Handle handle = new Handle(this, caller.holds(), List.of(use));
        if (!caller.task()) {
            handle.interruptOnLoss();
        }
        return handle;
    }

    /** @param thread the holds of its thread or task */
    void add(Hold hold, Map<LockKey, Hold> thread) {
        watchdog.plan(hold);
        thread.put(hold.key(), hold);
        all.put(hold, thread);
        if (hold.isExclusive()) {
            exclusive.put(hold.key(), hold);
        }
        watchdog.wakeFor(hold);
    }

    // Reentry.

    /**
     * Returns another handle of a lock that the caller holds, or null if the caller does not hold it.
     *
     * @throws WaitsForItself if it holds less of the lock than it requests
     */
    public @Nullable Handle reenter(Terms terms, Caller caller) {
        Hold hold = caller.holds().get(terms.key());
        if (hold == null) {
            return null;
        }
        boolean wasRenewing = hold.isRenewing();
        Hold.Use use = hold.enter(terms, caller.boundTo());
        if (use != null) {
            return reentered(hold, terms, handle(use, caller), wasRenewing);
        }
        if (hold.holdCount() > 0) {
            throw new WaitsForItself(
                    hold,
                    "in shared mode and requests it exclusively",
                    "Release the shared lock first, or acquire the exclusive lock from the start.");
        }
        return null;
    }

    private Handle reentered(Hold hold, Terms terms, Handle handle, boolean wasRenewing) {
        try {
            hold.throwIfLost();
            if (terms.minHoldNanos() > 0) {
                throw new IllegalStateException("This thread already holds lock '" + hold.key()
                        + "', and a request with minHold is not reentrant."
                        + " Acquire the lock with minHold first, or omit minHold.");
            }
            if (!hold.isExclusive() && terms.weight() > hold.terms.weight()) {
                throw new WaitsForItself(
                        hold,
                        "with a weight of " + hold.terms.weight() + " and requests a weight of " + terms.weight(),
                        "Acquire the largest weight from the start.");
            }
            stretch(hold, terms, wasRenewing);
            return handle;
        } catch (RuntimeException | Error e) {
            handle.closeAfter(e);
            throw e;
        }
    }

    /**
     * Extends the lease if the reentrant request needs more than is left; never shortens it. A fixed lease that has to be renewed from now
     * on is renewed when the watchdog would have checked it, that is, after a third of its length at most. If too little is left to wait
     * for that, because no further check may be due before the deadline, it is renewed immediately.
     */
    private void stretch(Hold hold, Terms terms, boolean wasRenewing) {
        long wanted = terms.leaseNanos();
        if (hold.isTimeLimitReached() || (wasRenewing && wanted <= hold.leaseNanos())) {
            return;
        }
        if (wasRenewing || lacks(hold, wanted)) {
            extend(hold, wanted);
        }
        if (wasRenewing || terms.renew()) {
            hold.raiseLease(wanted);
            if (lacks(hold, hold.leaseNanos() / 2)) {
                watchdog.doubt(hold);
            }
        }
    }

    // The end.

    void remove(Hold hold) {
        all.remove(hold);
        exclusive.remove(hold.key(), hold);
        countHeld();
    }

    /** Called when a hold has ended, or was lost. */
    private void countHeld() {
        CountDownLatch awaited = none;
        if (awaited != null && isNoneHeld()) {
            awaited.countDown();
        }
    }

    private boolean isNoneHeld() {
        return all.keySet().stream().allMatch(Hold::isLost);
    }

    // Losses.

    /**
     * Reports a loss: to the holding thread if it requested an interrupt, to loss actions, to listeners, to the next in line, and to
     * the log. If logging fails, the caller, which may have more locks to end, goes on.
     */
    private void lost(Hold hold, LockEvent.Lost loss) {
        hold.uses.forEach(Hold.Use::interrupt);
        if (!hold.lossActions.isEmpty()) {
            events.later(() -> hold.lossActions.forEach(action -> action.accept(loss)));
        }
        events.publishLater(loss);
        hold.place.leave();
        countHeld();
        DaemonThreads.runGuarded(() -> log.warn(
                "Lock {} (fencing token {}) was lost after {}: {}{}",
                hold.label(),
                loss.fencingToken(),
                DurationText.of(loss.heldFor()),
                loss.cause().explanation(),
                loss.failure() == null
                        ? ""
                        : " Last failed renewal: " + loss.failure().getMessage()));
    }

    /**
     * A message reports that the store has revoked the lock of that acquisition. The hold may have ended, and the
     * message may be forged.
     */
    public void doubt(long sequence) {
        all.keySet().stream()
                .filter(hold -> hold.owner().sequence() == sequence)
                .forEach(watchdog::doubt);
    }

    /**
     * Declares a lock lost, and releases it, because the store does not know of this yet. A lock whose release is in progress is given back,
     * not lost.
     */
    void end(Hold hold, LossCause cause, Consumer<Hold> releasing) {
        if (hold.isOpen()) {
            hold.lose(cause);
        }
        if (drop(hold)) {
            releasing.accept(hold);
        }
    }

    /** Closes all handles at once. Returns whether any was open, in which case the lock has to be given back. */
    private boolean drop(Hold hold) {
        boolean open = hold.abandon();
        if (open) {
            remove(hold);
        }
        return open;
    }

    /** Releases the lock in the background. The hold has ended, so its last token no longer changes. */
    void releaseLater(Hold hold) {
        client.cleanup.release(hold.key(), () -> hold.releaseRequest(ReleaseRequest.UNKNOWN_LEASE), hold.leaseNanos());
    }

    /** Gives back a lock that was granted, but for which no handle can be created, for lack of memory or threads. */
    public void giveBack(Terms terms, OwnerId owner, Caller caller, Place place) {
        Hold hold = caller.holds().get(terms.key());
        if (hold != null && hold.owner().equals(owner)) {
            drop(hold);
            caller.holds().remove(terms.key(), hold);
        }
        place.leave();
        client.cleanup.undoHold(terms.key(), owner, terms.leaseNanos());
    }

    /**
     * Removes from all records the locks that the current thread has lost: they no longer count, as if they had been released.
     * Their handles still report the loss when they are closed.
     */
    public void forgetLost() {
        Map<LockKey, Hold> thread = ofCurrentThread();
        for (Hold hold : List.copyOf(thread.values())) {
            if (hold.loss() != null && thread.remove(hold.key(), hold) && drop(hold)) {
                hold.place.leave();
                client.cleanup.undoHold(hold.key(), hold.owner(), hold.leaseNanos());
            }
        }
    }

    // Longer leases.

    /** Extends the lease at the store to at least the given time from now. */
    public void extend(Hold hold, long nanos) {
        long millis = Math.max(TimeUnit.NANOSECONDS.toMillis(nanos), hold.leastMillis());
        var request = hold.renewRequest(millis);
        long sentAt = client.ticker.nanos();
        RenewReply reply = ClientContext.uninterruptibly(() -> client.store.extend(request));
        if (reply instanceof RenewReply.Failed failure) {
            throw new LockStoreException(
                    "Lock '" + hold.key() + "' could not be extended: " + failure.reason(), null, true);
        }
        if (!(reply instanceof RenewReply.Renewed)) {
            throw notHolder(hold, "extended");
        }
        hold.extendTo(sentAt + TimeUnit.MILLISECONDS.toNanos(millis));
        hold.throwIfLost();
    }

    /** The store has replied that the lock is not held. */
    private static LockLostException notHolder(Hold hold, String during) {
        hold.throwIfLost();
        if (!hold.isOpen()) {
            throw new IllegalStateException("Lock '" + hold.key() + "' was released while it was being " + during);
        }
        return new LockLostException(hold.lose(LossCause.REVOKED));
    }

    /**
     * Reads or writes the data of a lock. A reply proves that the lock was held when the store carried this out, so it counts even if the
     * lock is lost by the time that it arrives.
     */
    LockData data(Hold hold, DataRequest request) {
        return ClientContext.uninterruptibly(() -> client.store.data(request))
                .orElseThrow(() -> notHolder(hold, "used"));
    }

    /** Ensures that all locks of the current thread last for as long as its next step needs. */
    public void ensureHeld(Duration atLeast) {
        if (atLeast.isNegative() || atLeast.compareTo(LockRequest.MAX_TIME) > 0) {
            throw new IllegalArgumentException("The requested hold time is " + atLeast
                    + "; it must be between 0 ms and " + LockRequest.MAX_TIME.toDays() + " days");
        }
        for (Hold hold : ofCurrentThread().values()) {
            hold.throwIfLost();
            // A client that was closed has released the lock, but this thread's handle is still open.
            if (hold.holdCount() > 0 && lacks(hold, atLeast.toNanos())) {
                extendFor(hold, atLeast.toNanos());
            }
        }
    }

    /** Ensures that a resource accepts the tokens of the locks that the current thread holds exclusively. */
    public void ensureLatest(BiPredicate<LockKey, Long> accepts) {
        ofCurrentThread().values().stream()
                .filter(hold -> hold.holdCount() > 0 && hold.isExclusive())
                .sorted(Comparator.comparing(hold -> hold.key().value()))
                .filter(hold -> !accepts.test(hold.key(), hold.token()))
                .findFirst()
                .ifPresent(hold -> {
                    hold.lose(LossCause.SUPERSEDED); // unless it was lost already, for another cause
                    throw new LockLostException(hold.lost(LossCause.SUPERSEDED));
                });
    }

    /**
     * Extends the lease to twice the given time, if the store allows a lease that long. A reply after the former deadline is a
     * loss, so a reply that counts took less than the given time, and leaves more than that time. A shorter lease may leave
     * less after a slow reply: then the lock is extended again.
     */
    private void extendFor(Hold hold, long nanos) {
        long longest = client.store.longestLease().toNanos();
        if (nanos > longest) {
            throw new IllegalArgumentException("The requested hold time is " + DurationText.of(Duration.ofNanos(nanos))
                    + ", but the longest lease in this store is " + DurationText.of(Duration.ofNanos(longest))
                    + " (in a quorum, the rejoin-delay)");
        }
        long wanted = Math.min(Math.max(2 * nanos, LockRequest.MIN_LEASE.toNanos()), longest);
        try {
            for (int call = 1; lacks(hold, nanos); call++) {
                if (call > MAX_EXTENSIONS) {
                    throw new LockStoreException(
                            "Lock '" + hold.key()
                                    + "' could not be extended to cover the requested time, because the store"
                                    + " responds too slowly",
                            null,
                            false);
                }
                extend(hold, wanted);
            }
        } catch (IllegalStateException e) {
            if (hold.isOpen()) {
                throw e;
            }
            hold.throwIfLost(); // otherwise another thread has given the lock back in the meantime
        }
    }

    private boolean lacks(Hold hold, long nanos) {
        return hold.deadline() - client.ticker.nanos() < nanos;
    }

    // Whether locks can be acquired.

    public void ensureOpen() {
        State now = state;
        if (now != State.OPEN) {
            throw new IllegalStateException(
                    now == State.SUSPENDED
                            ? "A checkpoint of this process is in progress; no lock can be acquired until the process is"
                                    + " restored"
                            : "The lock client is closed; no lock can be acquired");
        }
    }

    /**
     * Whether a lock that was requested under the id of that queue is granted too late to be used.
     *
     * @param queue the client's queue at the start of the call
     */
    public boolean isOver(LocalQueue queue) {
        return state != State.OPEN || queue != client.queue();
    }

    public IllegalStateException tooLate(LockKey key) {
        ensureOpen();
        return new IllegalStateException("This process was restored from a checkpoint while lock '" + key
                + "' was being acquired, and every restored copy would hold it. Acquire it again.");
    }

    /** Refuses new locks from now on. Returns false if nothing changes, because the client is already closed or suspended. */
    private synchronized boolean refuse(State next) {
        boolean refuses = state != State.CLOSED && (state != State.SUSPENDED || next != State.DRAINING);
        if (refuses) {
            state = next;
        }
        return refuses;
    }

    /** Refuses new locks, and waits until nothing is held. Returns whether nothing is held. */
    public boolean drain(Duration atMost) throws InterruptedException {
        refuse(State.DRAINING);
        client.queue().close();
        return awaitNone(atMost);
    }

    /**
     * Waits until nothing is held. Lost locks are not awaited. The latch is set before the records are read here, and they are also
     * read after each removal and each loss, so one of these reads finds that nothing is held.
     */
    private boolean awaitNone(Duration atMost) throws InterruptedException {
        CountDownLatch latch = new CountDownLatch(1);
        none = latch;
        return isNoneHeld() || latch.await(TimeUnit.NANOSECONDS.convert(atMost), TimeUnit.NANOSECONDS);
    }

    /** Refuses new locks. Locks that are still held are declared lost, and then released. */
    public void close() {
        if (refuse(State.CLOSED)) {
            client.queue().close();
            watchdog.close();
            loseAll(LossCause.CLOSED, this::releaseLater);
        }
    }

    private void loseAll(LossCause cause, Consumer<Hold> releasing) {
        unclosed.removeIf(Map::isEmpty);
        unclosed.addAll(all.values());
        ClientContext.each(all.keySet(), hold -> end(hold, cause, releasing));
    }

    /**
     * Like {@link #close}, after waiting for holders, but this thread itself releases everything, before the store's
     * connections are closed.
     */
    public void suspend(Duration atMost) throws InterruptedException {
        if (refuse(State.SUSPENDED)) {
            client.queue().close();
            awaitNone(atMost);
            loseAll(LossCause.CHECKPOINT, this::releaseNow);
            client.closeFiles();
            client.store.disconnect();
        }
    }

    private void releaseNow(Hold hold) {
        ReleaseRequest request = hold.releaseRequest(ReleaseRequest.UNKNOWN_LEASE);
        try {
            ClientContext.uninterruptibly(() -> client.store.release(request));
        } catch (RuntimeException | Error e) {
            log.warn(
                    "Failed to release lock '{}' before a checkpoint; it will expire at the end of its lease",
                    hold.key(),
                    e);
        }
    }

    /** This copy of the process becomes a separate client, and acquires locks again. To connect, the store may call servers. */
    public void resume() {
        if (state == State.SUSPENDED) {
            client.store.connect();
        }
        synchronized (this) {
            if (state == State.SUSPENDED) {
                client.renew();
                state = State.OPEN;
            }
        }
    }
}
