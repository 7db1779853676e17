package io.holdfast.lock.leader;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One instance's candidacy for one role, from a start to the next stop: it waits for the lock, holds it for a term, and starts
 * over when the term has ended for whatever reason.
 *
 * <pre>
 *   attempt ──granted──► term ──lost─────────────────────────► rest ──► attempt
 *      │                   ├────resigned─► listeners, release ─► rest ──► attempt
 *      ├──failed──► rest   └────stopped──► listeners, release ─► ended
 *      └──stopped─────────────────────────────────────────────► ended
 * </pre>
 *
 * <p>No thread waits: the lock is acquired by {@code executeAsync}, and held until the stage of its work is complete. The end
 * of that call is the only way to the next attempt, and there is always a delay in between, so this is never a busy loop.
 *
 * <p>The monitor is never held during a call of the template or a listener.
 */
final class Candidacy {

    private static final Logger log = LoggerFactory.getLogger(Leadership.class);

    /**
     * How long an instance that resigned waits before its next attempt, so that others come first. In a queue they are ahead
     * of it anyway, but a quorum has no queue, and its waiters poll every 75 ms.
     */
    static final Duration AFTER_RESIGNATION = Duration.ofSeconds(1);

    /** How long the release of the lock waits for listeners. */
    static final Duration LISTENERS = Duration.ofSeconds(10);

    private final String role;
    private final LockTemplate locks;
    private final LockRequest request;
    private final Announcer announcer;
    private final Background background;
    private final Backoff backoff;
    private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

    /** The call that waits for the lock, or holds it. Guarded by this monitor, as are the others. */
    private @Nullable CompletableFuture<?> attempt;

    private volatile @Nullable HeldTerm held;
    private boolean stopped;

    Candidacy(
            String role,
            LockTemplate locks,
            LockRequest request,
            Announcer announcer,
            Background background,
            Backoff backoff) {
        this.role = role;
        this.locks = locks;
        this.request = request;
        this.announcer = announcer;
        this.background = background;
        this.backoff = backoff;
    }

    /** Begins an attempt, unless it was stopped. */
    void attempt() {
        if (isStopped()) {
            return;
        }
        CompletableFuture<@Nullable Void> call;
        try {
            call = locks.<@Nullable Void>executeAsync(request, this::granted);
        } catch (RuntimeException | Error e) {
            call = CompletableFuture.failedFuture(e);
        }
        keep(call);
        var unused = call.whenComplete((nothing, failure) -> over(failure));
    }

    private synchronized boolean isStopped() {
        return stopped;
    }

    /** It may have been stopped meanwhile. */
    private void keep(CompletableFuture<?> call) {
        boolean cancel;
        synchronized (this) {
            attempt = call;
            cancel = stopped && held == null;
        }
        if (cancel) {
            call.cancel(false);
        }
    }

    private CompletionStage<@Nullable Void> granted(LockHandle lock) {
        HeldTerm term = new HeldTerm(role, lock);
        synchronized (this) {
            if (stopped) {
                term.giveUp();
                return term.work();
            }
            held = term;
            announcer.elected(term.term());
        }
        announcer.goOn();
        log.info(
                "Elected leader for role '{}' (fencing token {})",
                role,
                term.term().fencingToken());
        lock.onLost(loss -> lost(term));
        return term.work();
    }

    /** It cannot wait for listeners: others may lead already. What they do, they do after the next leader has begun. */
    private void lost(HeldTerm term) {
        if (end(term) != null) {
            log.warn(
                    "Lost leadership of role '{}' (fencing token {})",
                    role,
                    term.term().fencingToken());
            announcer.goOn();
        }
        term.giveUp();
    }

    private boolean giveUp(HeldTerm term) {
        CompletableFuture<@Nullable Void> told = end(term);
        if (told == null) {
            return false;
        }
        log.info(
                "Giving up leadership of role '{}' (fencing token {})",
                role,
                term.term().fencingToken());
        var unused = told.whenComplete((nothing, failure) -> term.giveUp());
        background.after(LISTENERS, term::giveUp);
        announcer.goOn();
        return true;
    }

    /**
     * Ends a term and queues its notification in one step, so that no listener is notified of the end of a term before its
     * beginning, or after the beginning of the next one. Returns a future that completes when all listeners have been
     * notified; null if the term was already over.
     */
    private synchronized @Nullable CompletableFuture<@Nullable Void> end(HeldTerm term) {
        return term.end() ? announcer.revoked(term.term()) : null;
    }

    /** The call of an attempt has ended, and with it the term if there was one. */
    private void over(@Nullable Throwable failure) {
        HeldTerm term;
        boolean ends;
        synchronized (this) {
            term = held;
            held = null;
            attempt = null;
            ends = stopped;
        }
        if (term != null) {
            backoff.reset();
            lost(term); // unless it was ended by this side
        }
        if (ends) {
            ended.complete(null);
        } else {
            background.after(restAfter(failure), this::attempt);
        }
    }

    private Duration restAfter(@Nullable Throwable failure) {
        if (failure == null) {
            return backoff.shortened(AFTER_RESIGNATION);
        }
        log(failure);
        return backoff.next();
    }

    /** Logs a series of failures once. A loss was already logged, and a wait that took a year is not a failure. */
    private void log(Throwable failure) {
        if (failure instanceof LockLostException || failure instanceof LockNotAcquiredException) {
            return;
        }
        if (backoff.isRepeated()) {
            log.debug("Candidacy for role '{}' failed again", role, failure);
        } else {
            log.warn("Candidacy for role '{}' failed; retrying until it succeeds: {}", role, failure.toString());
        }
    }

    /** Gives up the current term. Returns whether there was one. */
    boolean resign() {
        HeldTerm term = held;
        return term != null && giveUp(term);
    }

    /** Gives up the current term, or the wait for one. Returns what completes when the lock was released. */
    CompletableFuture<@Nullable Void> stop() {
        HeldTerm term;
        CompletableFuture<?> call;
        synchronized (this) {
            stopped = true;
            term = held;
            call = attempt;
        }
        if (term != null) {
            giveUp(term); // then its call ends, and with it this
        } else if (call == null) {
            ended.complete(null);
        } else {
            call.cancel(false);
        }
        return ended;
    }

    Optional<Term> term() {
        HeldTerm term = held;
        return term != null && term.isCurrent() ? Optional.of(term.term()) : Optional.empty();
    }
}
