package io.holdfast.lock.leader;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockStoreException;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * This instance's view of one role, which at most one instance leads at a time. Thread-safe.
 *
 * <pre>{@code
 * if (leadership.isLeader()) { sendReports(); }
 * }</pre>
 *
 * <p>An instance that has been paused for longer than its lease has lost its term by its own clock before the next term begins, so
 * no two instances answer {@link #isLeader()} with true at the same time. What was begun while leading may still be under way
 * when the term ends: check {@link #isLeader()} between steps, and the {@linkplain Term#fencingToken() fencing token} where
 * something must never happen twice.
 *
 * <p>Listeners are called on a thread of their own, which may block, and one at a time for each role: for each term
 * {@code onElected} before {@code onRevoked}, and {@code onRevoked} before {@code onElected} of the next one. They should return,
 * since the next one waits for it. Their exceptions are logged and have no other effect. The term may be over when a listener is
 * called.
 */
public interface Leadership {

    /** {@return the role} */
    String role();

    /**
     * Does not call Redis.
     *
     * @return whether this instance certainly leads now; false once its term was lost, resigned or stopped, or is past its
     *     deadline by the local clock
     */
    boolean isLeader();

    /**
     * Does not call Redis.
     *
     * @return the current term, if this instance leads
     */
    Optional<Term> term();

    /**
     * Has the action called at the beginning of each term of this instance; also for the current term, if there is one.
     *
     * @param action receives the term
     */
    void onElected(Consumer<Term> action);

    /**
     * Has the action called at the end of each term of this instance, whatever ended it: a loss, {@link #resign()}, or the
     * stop of the election. A term that is resigned or stopped is given up once the listeners have returned, or after 10 s, so the
     * next leader begins only after they have finished. A lost term cannot wait for them.
     *
     * @param action receives the term
     */
    void onRevoked(Consumer<Term> action);

    /**
     * Gives up the current term: the next candidate becomes the leader. This instance becomes a
     * candidate again, behind the others, after half a second to a second. Returns before the term is given up, see {@link #onRevoked}; from then on
     * {@link #isLeader()} is false.
     *
     * @return whether there was a term to give up
     */
    boolean resign();

    /**
     * Asks the store which instance leads now, this one or another.
     *
     * @return the holder of the role's lock; empty if there is no leader at the moment
     * @throws LockStoreException if the store refused or did not respond
     */
    Optional<LockHolder> leader();
}
