package io.holdfast.lock.leader;

import io.holdfast.lock.api.LockHandle;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A term of this instance, with the lock that it consists of. The lock is held until {@link #giveUp}, or until it is lost. */
final class HeldTerm {

    private final LockHandle lock;
    private final Term term;
    private final AtomicBoolean over = new AtomicBoolean();
    private final CompletableFuture<@Nullable Void> work = new CompletableFuture<>();

    HeldTerm(String role, LockHandle lock) {
        this.lock = lock;
        this.term = new Term(role, lock.fencingToken(), Instant.now());
    }

    Term term() {
        return term;
    }

    /** Determined by the lock's own deadline, so no notification is needed. */
    boolean isCurrent() {
        return !over.get() && lock.isHeld();
    }

    /** Ends the term. Returns false if it was already over. */
    boolean end() {
        return over.compareAndSet(false, true);
    }

    /** Allows the lock to be released, or its remains to be cleaned up. */
    void giveUp() {
        work.complete(null);
    }

    /** The work during which the lock is held. */
    CompletionStage<@Nullable Void> work() {
        return work;
    }
}
