package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Sends calls to one server.
 *
 * <p><b>Order.</b> The caller continues as soon as most servers have replied, so a call to this one may still be in progress when
 * the next call of the same acquisition is made. That call waits for it: a release that overtook the acquisition would leave the
 * lock behind without a holder. An inspection waits for all calls in progress, to see what this client did before.
 *
 * <p><b>Doubt.</b> A call without a reply may still arrive at any later time. If it gives back the grant of one try, it would
 * also take away the grant of a later try of the same acquisition, with its fencing tokens. So such an acquisition does not call
 * this server again.
 *
 * <p><b>Outages.</b> While a server hangs, every call would occupy a thread for its whole timeout. So after a call without a
 * reply only one call at a time is sent, until one gets a reply; the others fail immediately. Until then {@link Threads} limits
 * the number of threads.
 */
final class Node {

    /** Who waits for so long in vain could have done something else. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Each of them waits for a lock, or has given up a short time ago. */
    private static final int MOST_IN_DOUBT = 10_000;

    private final String name;
    private final LockStore store;
    private final Threads threads;
    private final Map<OwnerId, CompletableFuture<?>> last = new ConcurrentHashMap<>();
    private final Set<CompletableFuture<?>> unordered = ConcurrentHashMap.newKeySet();
    private final Set<OwnerId> inDoubt = Collections.newSetFromMap(Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<OwnerId, Boolean> eldest) {
            return size() > MOST_IN_DOUBT;
        }
    }));
    private final AtomicBoolean probing = new AtomicBoolean();
    private volatile @Nullable LockStoreException outage;
    private volatile boolean quick = true;
    private final NodeLog log;

    Node(QuorumNode node, Executor threads) {
        this.name = node.name();
        this.store = node.store();
        this.log = new NodeLog(name);
        this.threads = new Threads(name, threads);
    }

    String name() {
        return name;
    }

    /** What its latest call failed with. */
    Optional<String> failure() {
        return log.failure();
    }

    LockStore store() {
        return store;
    }

    /**
     * A call that the caller sends together with those to other servers, which saves hand-overs between threads. Null if it has
     * to be sent by {@link #send(OwnerId, Function)}: because an earlier one of the same acquisition is in progress, or because
     * the server was slow recently.
     */
    <A> @Nullable NodeCall<A> prepare(OwnerId owner, Function<LockStore, LockStore.Pending<A>> begin) {
        if (!quick || outage != null) {
            return null;
        }
        NodeCall<A> call = new NodeCall<>(
                () -> noticing(() -> begin.apply(store)), pending -> timed(() -> noticing(pending::await)));
        if (last.putIfAbsent(owner, call) != null) {
            return null;
        }
        var unused = call.whenComplete((done, failure) -> last.remove(owner, call));
        return call;
    }

    /** Calls in progress will fail, which is not logged. */
    void close() {
        log.end();
        store.close();
    }

    /** The others have replied long ago. This server may hang, so for now its calls are not sent together with others. */
    void markSlow() {
        quick = false;
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

    /** @throws LockStoreException if an earlier call of that acquisition may still arrive and take away what it gets */
    void requireNoDoubt(OwnerId owner) {
        if (inDoubt.contains(owner)) {
            throw new LockStoreException(
                    "skipped: the release of an earlier attempt to acquire this lock has not been confirmed",
                    null,
                    false);
        }
    }

    /**
     * Sends and reads, on another thread, what a thread has not reached yet. If no thread is available, that thread reaches it
     * eventually.
     */
    void takeOver(NodeCall<?> call) {
        threads.execute(call::finish, refused -> {});
    }

    /** A call that may come in any order. */
    @SuppressWarnings("CollectionUndefinedEquality") // this answer, and no other, is removed
    <A> CompletableFuture<A> send(Function<LockStore, A> call) {
        CompletableFuture<A> answer = new CompletableFuture<>();
        unordered.add(answer);
        var unused = answer.whenComplete((done, failure) -> unordered.remove(answer));
        start(call, answer);
        return answer;
    }

    /** A call that comes after all calls in progress. */
    <A> CompletableFuture<A> sendAfterAll(Function<LockStore, A> call) {
        CompletableFuture<A> answer = new CompletableFuture<>();
        CompletableFuture<?>[] before =
                Stream.concat(last.values().stream(), unordered.stream()).toArray(CompletableFuture[]::new);
        var unused = CompletableFuture.allOf(before).whenComplete((done, failure) -> start(call, answer));
        return answer;
    }

    /** A call that comes after all earlier ones of that acquisition. */
    <A> CompletableFuture<A> send(OwnerId owner, Function<LockStore, A> call) {
        CompletableFuture<A> answer = new CompletableFuture<>();
        CompletableFuture<?> before = last.put(owner, answer);
        var unusedRemoval = answer.whenComplete((done, failure) -> last.remove(owner, answer));
        if (before == null) {
            start(call, answer);
            return answer;
        }
        if (before instanceof NodeCall<?> stuck) {
            takeOver(stuck);
        }
        var unusedStart = before.whenComplete((done, failure) -> start(call, answer));
        return answer;
    }

    private <A> void start(Function<LockStore, A> call, CompletableFuture<A> answer) {
        threads.execute(() -> run(call, answer), answer::completeExceptionally);
    }

    private <A> void run(Function<LockStore, A> call, CompletableFuture<A> answer) {
        A result;
        try {
            result = timed(() -> guarded(call));
        } catch (RuntimeException | Error e) {
            answer.completeExceptionally(e);
            return;
        }
        answer.complete(result);
    }

    private <A> A guarded(Function<LockStore, A> call) {
        LockStoreException former = outage;
        if (former == null) {
            return noticing(() -> call.apply(store));
        }
        if (!probing.compareAndSet(false, true)) {
            throw new LockStoreException("skipped until it responds again: " + former.getMessage(), former, false);
        }
        try {
            return noticing(() -> call.apply(store));
        } finally {
            probing.set(false);
        }
    }

    private <A> A timed(Supplier<A> call) {
        long start = System.nanoTime();
        try {
            return call.get();
        } finally {
            quick = System.nanoTime() - start < SLOW_NANOS;
        }
    }

    private <A> A noticing(Supplier<A> call) {
        try {
            A answer = call.get();
            outage = null;
            log.succeeded();
            return answer;
        } catch (LockStoreException e) {
            log.failed(e);
            if (e.outcomeUnknown() && !Thread.currentThread().isInterrupted()) {
                outage = e;
            }
            throw e;
        }
    }
}
