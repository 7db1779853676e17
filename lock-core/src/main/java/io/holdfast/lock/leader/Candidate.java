package io.holdfast.lock.leader;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.threads.DaemonThreads;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A candidate for one role of an election. Between {@link #start} and {@link #stop}, a {@link Candidacy} represents it: it waits for the
 * lock, holds it for a term, and starts over when the term has ended, for whatever reason.
 *
 * <pre>
 *   attempt ──granted──► term ──lost─────────────────────────► pause ──► attempt
 *      │                   ├────resigned─► listeners, release ─► pause ──► attempt
 *      ├──failed──► pause  └────stopped──► listeners, release ─► ended
 *      └──stopped─────────────────────────────────────────────► ended
 * </pre>
 *
 * <p>No thread waits: the lock is acquired by {@code executeAsync}, and held until the stage of its work is complete. The next attempt
 * begins only after that call has ended and a pause has passed, so this is never a busy loop.
 *
 * <p>The monitors of a candidacy and of the events are never held during a call to the template or a listener. The beginning of a
 * term and its announcement are one step under the monitor of the events, as are the end of a term and its announcement. So no
 * listener is notified of the end of a term before its beginning, or after the beginning of the next one: a candidacy ends its term
 * before it is stopped or starts over. A stopped candidacy may still be waiting for its listeners when the next one begins.
 *
 * <p>Listeners are called one at a time and in the order of the events, on a pool thread, which is returned when all calls are done. A
 * listener that does not return delays all later calls. The number of waiting events is limited: if there are {@value #MAX_WAITING} when a
 * term begins, the terms before it are skipped as a whole, except the one whose listeners are being called. The skipped terms are already
 * over, so listeners are still notified of the current term, and receive an end for every beginning that they received.
 */
class Candidate implements Leadership {

    private static final Logger log = LoggerFactory.getLogger(Leadership.class);

    /** The back-off after a failure, doubled each time; the next term resets it. */
    static final Duration FIRST_REST = Duration.ofMillis(100);

    static final Duration MAX_REST = Duration.ofSeconds(5);

    /**
     * How long an instance that resigned waits before its next attempt, so that others come first. In a queue they are ahead
     * of it anyway, but a quorum has no queue, and its waiters poll every 75 ms.
     */
    private static final Duration AFTER_RESIGNATION = Duration.ofSeconds(1);

    static final int MAX_WAITING = 100;

    /** The maximum time for which the release of the lock waits for listeners. */
    private static final Duration LISTENERS = Duration.ofSeconds(10);

    private final String role;
    private final LockTemplate locks;
    private final LockRequest request;
    private final LeaderThreads threads;
    private @Nullable Candidacy candidacy;
    private CompletableFuture<@Nullable Void> stopping = CompletableFuture.completedFuture(null);

    private final List<Consumer<Term>> whenElected = new CopyOnWriteArrayList<>();
    private final List<Consumer<Term>> whenRevoked = new CopyOnWriteArrayList<>();

    /**
     * Events not yet delivered to listeners. Its monitor guards it and the fields below, and is always acquired last.
     */
    private final Queue<Event> events = new ArrayDeque<>();

    /** The term that has begun and not ended. */
    private volatile @Nullable HeldTerm current;

    private @Nullable Term lastCalled;
    private boolean calling;
    private volatile @Nullable Thread caller;

    private record Event(Term term, List<Consumer<Term>> actions, CompletableFuture<@Nullable Void> notified) {}

    Candidate(String role, LockTemplate locks, LockRequest request, LeaderThreads threads) {
        this.role = role;
        this.locks = locks;
        this.threads = threads;
        if (request.keys().size() > 1 || request.mode() != LockMode.EXCLUSIVE) {
            throw new IllegalArgumentException("The lock of role '" + role + "' must be exclusive and have a single"
                    + " key, because only one instance leads; the request is " + request);
        }
        // The lock of a term lasts until it is ended explicitly.
        this.request = request.waitFor(LockRequest.MAX_TIME)
                .renew(true)
                .minHold(Duration.ZERO)
                .maxHold(LockRequest.MAX_TIME)
                .warnAfter(LockRequest.MAX_TIME)
                .interruptOnLoss(false);
    }

    synchronized void start() {
        if (candidacy == null) {
            Candidacy begun = new Candidacy();
            candidacy = begun;
            begun.attempt();
        }
    }

    /** Returns a future that completes when the locks of all terms have been released, also of those that were stopped earlier. */
    synchronized CompletableFuture<@Nullable Void> stop() {
        Candidacy begun = candidacy;
        candidacy = null;
        stopping = begun == null ? stopping : CompletableFuture.allOf(stopping, begun.stop());
        return stopping;
    }

    /** Whether the current thread is calling one of the listeners. */
    boolean isCalledHere() {
        return caller == Thread.currentThread();
    }

    @Override
    public String role() {
        return role;
    }

    @Override
    public boolean isLeader() {
        return term().isPresent();
    }

    /** Determined by the lock's own deadline, so no notification is needed. */
    @Override
    public Optional<Term> term() {
        HeldTerm held = current;
        return held != null && held.lock.isHeld() ? Optional.of(held.term) : Optional.empty();
    }

    /**
     * Also notifies the listener of the current term; a listener that is added while a term begins is notified of that term
     * only once.
     */
    @Override
    public void onElected(Consumer<Term> action) {
        synchronized (events) {
            whenElected.add(action);
            HeldTerm held = current;
            if (held != null) {
                var unused = announce(held.term, List.of(action));
            }
        }
        callListeners();
    }

    @Override
    public void onRevoked(Consumer<Term> action) {
        whenRevoked.add(action);
    }

    private void elected(HeldTerm begun) {
        synchronized (events) {
            current = begun;
            if (events.size() >= MAX_WAITING) {
                events.removeIf(event -> !event.term.equals(lastCalled));
                log.warn("Leadership listeners for role '{}' have not returned; skipping terms that are over", role);
            }
            var unused = announce(begun.term, whenElected);
        }
    }

    /**
     * Must be followed by {@link #callListeners}: the caller may hold a monitor, under which no listener may be called. Returns a
     * future that completes when all notified listeners have returned; it never completes if the term is skipped.
     */
    CompletableFuture<@Nullable Void> announce(Term term, List<Consumer<Term>> actions) {
        Event event = new Event(term, List.copyOf(actions), new CompletableFuture<>());
        events.add(event);
        return event.notified;
    }

    /**
     * Calls listeners for the waiting events; on the current thread if the election is closed, because the caller that ends a
     * term waits for these calls.
     */
    private void callListeners() {
        synchronized (events) {
            if (calling || events.isEmpty()) {
                return;
            }
            calling = true;
        }
        DaemonThreads.executeOrRun(threads, this::callAll);
    }

    private void callAll() {
        for (Event next = next(); next != null; next = next()) {
            for (Consumer<Term> action : next.actions) {
                try {
                    action.accept(next.term);
                } catch (Throwable e) { // Kotlin has no checked exceptions
                    log.warn("A leadership listener for role '{}' failed; leadership is not affected", role, e);
                }
            }
            next.notified.complete(null);
        }
    }

    private @Nullable Event next() {
        synchronized (events) {
            Event next = events.poll();
            calling = next != null;
            caller = calling ? Thread.currentThread() : null;
            lastCalled = next == null ? lastCalled : next.term;
            return next;
        }
    }

    @Override
    public boolean resign() {
        HeldTerm held = current;
        return held != null && giveUp(held);
    }

    /** Returns false if the term was already over. */
    private boolean giveUp(HeldTerm term) {
        CompletableFuture<@Nullable Void> notified = end(term);
        if (notified == null) {
            return false;
        }
        log.info("Giving up leadership of role '{}' (fencing token {})", role, term.term.fencingToken());
        var unused = notified.thenRun(() -> term.work.complete(null));
        threads.after(LISTENERS, () -> term.work.complete(null));
        callListeners();
        return true;
    }

    /** Returns a future that completes when all listeners have been notified; null if the term was already over. */
    private @Nullable CompletableFuture<@Nullable Void> end(HeldTerm term) {
        synchronized (events) {
            if (!term.equals(current)) {
                return null;
            }
            current = null;
            return announce(term.term, whenRevoked);
        }
    }

    @Override
    public Optional<LockHolder> leader() {
        return locks.inspect(request.key().value()).holder();
    }

    /**
     * A term and its lock, which is held until {@code work} is complete, or until it is lost. Completing {@code work} allows the
     * lock to be released, or what is left of a lost lock to be cleaned up.
     */
    private record HeldTerm(LockHandle lock, Term term, CompletableFuture<@Nullable Void> work) {}

    /** One candidacy, from {@code start()} to {@code stop()}. */
    private final class Candidacy {

        private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

        /** The call that waits for the lock, or holds it. Guarded by this monitor, as are writes to the two fields below. */
        private @Nullable CompletableFuture<?> attempt;

        private volatile @Nullable HeldTerm held;
        private volatile boolean stopped;
        private Duration rest = FIRST_REST; // between attempts only

        /** Begins an attempt, unless the candidacy was stopped. */
        private void attempt() {
            if (stopped) {
                return;
            }
            CompletableFuture<@Nullable Void> call;
            try {
                call = locks.<@Nullable Void>executeAsync(request, this::granted);
            } catch (Throwable e) { // Kotlin has no checked exceptions
                call = CompletableFuture.failedFuture(e);
            }
            boolean cancel;
            synchronized (this) {
                attempt = call;
                cancel = stopped && held == null; // stopped in the meantime
            }
            if (cancel) {
                call.cancel(false);
            }
            var unused = call.whenComplete((nothing, failure) -> over(failure));
        }

        private CompletionStage<@Nullable Void> granted(LockHandle lock) {
            Term begins = new Term(role, lock.fencingToken(), Instant.now());
            HeldTerm begun = new HeldTerm(lock, begins, new CompletableFuture<>());
            synchronized (this) {
                if (stopped) {
                    begun.work.complete(null);
                    return begun.work;
                }
                held = begun;
                elected(begun);
            }
            callListeners();
            log.info("Elected leader for role '{}' (fencing token {})", role, begun.term.fencingToken());
            lock.onLost(loss -> lost(begun));
            return begun.work;
        }

        /** A lost term cannot wait for its listeners: another instance may already lead when they run. */
        private void lost(HeldTerm term) {
            if (end(term) != null) {
                log.warn("Lost leadership of role '{}' (fencing token {})", role, term.term.fencingToken());
                callListeners();
            }
            term.work.complete(null);
        }

        /** The call of an attempt has ended, and with it the term if there was one. */
        private void over(@Nullable Throwable failure) {
            HeldTerm term = held;
            if (term != null) {
                rest = FIRST_REST;
                lost(term); // counts as a loss only if nothing has ended the term before
            }
            boolean ends;
            synchronized (this) {
                held = null;
                attempt = null;
                ends = stopped;
            }
            if (ends) {
                ended.complete(null);
            } else {
                Duration pause = failure == null ? AFTER_RESIGNATION : restAfter(failure);
                // Randomly shortened by up to half, so that the instances of an application do not all retry at the
                // same time.
                long shortenedBy = ThreadLocalRandom.current().nextLong(pause.toNanos() / 2);
                threads.after(pause.minusNanos(shortenedBy), this::attempt);
            }
        }

        /** Logs a series of failures once. A loss has already been logged, and a wait that timed out after a year is not a failure. */
        private Duration restAfter(Throwable failure) {
            Duration now = rest;
            rest = Collections.min(List.of(now.multipliedBy(2), MAX_REST));
            if (failure instanceof LockLostException || failure instanceof LockNotAcquiredException) {
                return now;
            }
            if (now.equals(FIRST_REST)) {
                log.warn("Candidacy for role '{}' failed; retrying until it succeeds: {}", role, failure.toString());
            } else {
                log.debug("Candidacy for role '{}' failed again", role, failure);
            }
            return now;
        }

        /** Gives up the current term, or the wait for one. */
        private CompletableFuture<@Nullable Void> stop() {
            HeldTerm term;
            CompletableFuture<?> call;
            synchronized (this) {
                stopped = true;
                term = held;
                call = attempt;
            }
            if (term != null) {
                giveUp(term); // ends its call, and thereby this candidacy
            } else if (call == null) {
                ended.complete(null);
            } else {
                call.cancel(false);
            }
            return ended;
        }
    }
}
