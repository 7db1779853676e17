package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.threads.DaemonThreads;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One server, and the calls to it.
 *
 * <p><b>Order.</b> The caller continues as soon as most servers have replied, so a call to this one may still be in progress when
 * the next call of the same acquisition is made. That call waits for it: a release that overtook the acquisition would leave the
 * lock behind without a holder. An inspection waits for all calls in progress, to see what this client did before.
 *
 * <p><b>Doubt.</b> A call without a reply may still arrive at any later time. If it gives back the grant of one try, it will
 * also take away the grant of a later try of the same acquisition, with its fencing tokens. So such an acquisition does not
 * call this server again.
 *
 * <p><b>Outages.</b> While a server hangs, every call would occupy a thread for its whole timeout. So after a call without a reply, only
 * one call at a time is sent, until one gets a reply; the others fail immediately. Before such an outage is detected, at most {@value
 * #MAX_THREADS} calls are in progress, {@value #MAX_WAITING} more wait, and further calls fail immediately.
 *
 * <p><b>Failures</b> are logged and remembered here. As long as the other servers form a majority, no call fails, so nothing else reveals a
 * wrong address or password.
 */
final class Node {

    static final int MAX_THREADS = 64;
    static final int MAX_WAITING = 1_000;

    private static final Logger log = LoggerFactory.getLogger(Node.class);

    /** A server that takes longer is slow: the thread that waits for it could do something else. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** The interval between two warnings about a server that keeps failing. */
    private static final long SILENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

    final String name;
    final LockStore store;
    final Executor threads;
    private final Ticker ticker;

    /** Why its latest call failed; null if it did not. */
    volatile @Nullable String failure;

    private final Semaphore places = new Semaphore(MAX_THREADS + MAX_WAITING);
    private final Map<Object, NodeCall<?>> last = new ConcurrentHashMap<>();

    /**
     * Acquisitions with a release that may still arrive, for as long as anything else refers to their ids; an acquisition uses the same
     * instance of its id throughout.
     */
    private final Set<OwnerId> inDoubt = Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap<>()));

    /** The one call that is sent while the server hangs. */
    private final AtomicReference<@Nullable NodeCall<?>> probe = new AtomicReference<>();

    private final AtomicLong nextWarning = new AtomicLong(System.nanoTime());
    private volatile @Nullable LockStoreException outage;
    private volatile boolean quick = true;
    private volatile boolean closed;

    /**
     * @param threads run calls, at most {@link #MAX_THREADS} at a time, in order
     * @param ticker measures whether the server is slow
     */
    Node(QuorumNode node, Executor threads, Ticker ticker) {
        this.name = node.name();
        this.store = node.store();
        this.threads = threads;
        this.ticker = ticker;
    }

    /**
     * One call, in two steps: it is sent, and its reply is read. Each step is done once, by the first thread that claims it; a thread that
     * finds a step claimed leaves it to the other thread.
     *
     * <p>So one thread can send to all servers before it reads from the first, and if it gets stuck at a server that hangs,
     * others {@linkplain #finish finish} what it has not begun, each at its own server. Sending is claimed by compare-and-set;
     * then the pending reply is available until it is taken by the thread that will read it.
     */
    final class NodeCall<A> extends CompletableFuture<A> {

        private final Supplier<LockStore.Pending<A>> begin;
        private final AtomicBoolean claimed = new AtomicBoolean();
        private final AtomicReference<LockStore.@Nullable Pending<A>> pending = new AtomicReference<>();

        /** Whether a round sends this call together with the calls to other servers. */
        private volatile boolean joint;

        private NodeCall(Supplier<LockStore.Pending<A>> begin) {
            this.begin = begin;
        }

        /** Sends the call, unless another thread has claimed that step. */
        void send() {
            if (claimed.compareAndSet(false, true)) {
                try {
                    pending.set(begin.get());
                } catch (RuntimeException | Error e) {
                    fail(e);
                }
            }
        }

        /** Sends the call if necessary, and waits for the reply; leaves either step to a thread that has claimed it. */
        void finish() {
            long start = ticker.nanos();
            send();
            LockStore.Pending<A> sent = pending.getAndSet(null);
            if (sent == null) {
                return;
            }
            try {
                A answer = sent.await();
                quick = ticker.nanos() - start < SLOW_NANOS;
                outage = null;
                failure = null;
                probe.compareAndSet(this, null); // a call that waits for this one may be the next probe
                complete(answer);
            } catch (RuntimeException | Error e) {
                quick = ticker.nanos() - start < SLOW_NANOS;
                fail(e);
            }
        }

        private void fail(Throwable e) {
            if (e instanceof LockStoreException known) {
                DaemonThreads.runGuarded(() -> failed(known)); // it writes to the log
            }
            probe.compareAndSet(this, null);
            completeExceptionally(e);
        }

        /**
         * Sends and reads, on another thread, what a round has not reached yet. If no thread is available, the round reaches it
         * eventually.
         */
        private void takeOver() {
            if (joint && !isDone()) {
                var unused = execute(this::finish);
            }
        }

        /**
         * The other servers replied long ago. This one may hang, so for now calls to it are not sent together with others.
         *
         * @param needed whether the caller still waits for the reply
         */
        void leaveBehind(boolean needed) {
            if (!isDone()) {
                quick = false;
                if (needed) {
                    takeOver();
                }
            }
        }
    }

    /**
     * Makes a call that is sent after all earlier ones of the same acquisition have ended.
     *
     * @param acquisition its owner; any other object for a call that may be sent in any order
     * @param round takes the call and sends it together with those to other servers, which saves hand-overs between threads, unless an
     *     earlier one is in progress, or the server was slow recently; null to send it on a thread of this server
     * @param begin sends it
     */
    <A> NodeCall<A> call(
            Object acquisition, @Nullable Consumer<NodeCall<?>> round, Supplier<LockStore.Pending<A>> begin) {
        NodeCall<A> call = new NodeCall<>(begin);
        NodeCall<?> before = last.put(acquisition, call);
        var unusedRemoval = call.whenComplete((answer, failure) -> last.remove(acquisition, call));
        if (before != null) {
            before.takeOver();
            var unusedStart = before.whenComplete((answer, failure) -> start(call));
        } else if (round != null && quick && outage == null) {
            call.joint = true;
            round.accept(call);
        } else {
            start(call);
        }
        return call;
    }

    /** Like {@link #call}, on a thread of this server. */
    <A> CompletableFuture<A> send(Object acquisition, Function<LockStore, A> call) {
        return call(acquisition, null, () -> () -> call.apply(store));
    }

    /** A call that may be sent in any order. */
    <A> CompletableFuture<A> send(Function<LockStore, A> call) {
        return send(new Object(), call);
    }

    /** A call that is sent after all calls in progress have ended. */
    <A> CompletableFuture<A> sendAfterAll(Function<LockStore, A> call) {
        NodeCall<A> looking = new NodeCall<>(() -> () -> call.apply(store));
        CompletableFuture<?>[] before = last.values().toArray(CompletableFuture[]::new);
        var unused = CompletableFuture.allOf(before).whenComplete((done, failure) -> start(looking));
        return looking;
    }

    /** @throws LockStoreException if an earlier call of that acquisition may still arrive and take away the grant */
    LockStore.Pending<AcquireReply> beginAcquire(AcquireRequest request) {
        if (inDoubt.contains(request.owner())) {
            throw new LockStoreException(
                    "skipped: the release of an earlier attempt to acquire this lock has not been confirmed",
                    null,
                    false);
        }
        return store.beginAcquire(request);
    }

    /** Gives back the grant of a failed try, after all earlier calls of that acquisition. */
    void giveBack(ReleaseRequest request) {
        var unused = send(request.owner(), here -> {
            try {
                return here.release(request);
            } catch (LockStoreException e) {
                if (e.outcomeUnknown()) {
                    inDoubt.add(request.owner());
                }
                throw e;
            }
        });
    }

    private void start(NodeCall<?> call) {
        boolean isTaken = execute(() -> {
            LockStoreException former = outage;
            if (former == null || probe.compareAndSet(null, call)) {
                call.finish();
            } else {
                call.completeExceptionally(new LockStoreException(
                        "skipped until it responds again: " + former.getMessage(), former, false));
            }
        });
        if (!isTaken) {
            call.completeExceptionally(new LockStoreException(
                    name + " is too slow: " + MAX_WAITING + " calls are already waiting for it", null, false));
        }
    }

    /** Returns false if the work will never run. */
    private boolean execute(Runnable work) {
        boolean isTaken = places.tryAcquire();
        if (isTaken) {
            DaemonThreads.executeOrRun(threads, () -> {
                work.run();
                places.release();
            });
        }
        return isTaken;
    }

    /**
     * A refusal by the store itself, such as that of a server that rejoins, has no cause. A call without a connection was not
     * sent.
     */
    private void failed(LockStoreException e) {
        if (Thread.currentThread().isInterrupted()) {
            return;
        }
        if (e.outcomeUnknown()) {
            outage = e;
        }
        if (closed || e.getCause() == null || e.getCause() instanceof ConnectionsInUseException) {
            return;
        }
        failure = String.valueOf(e.getMessage());
        long now = System.nanoTime();
        long due = nextWarning.get();
        if (now - due >= 0 && nextWarning.compareAndSet(due, now + SILENCE_NANOS)) {
            log.warn(
                    "Lock server {} failed; locks work as long as a majority of the servers responds: {}",
                    name,
                    e.getMessage());
        }
    }

    /** Calls in progress will fail, which is not logged. */
    void close() {
        closed = true;
        store.close();
    }
}
