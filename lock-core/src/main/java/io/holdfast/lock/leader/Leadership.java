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
 * <p>If an instance is paused for longer than its lease, its term has expired by its own clock before the next term begins, so
 * {@link #isLeader()} never returns true on two instances at the same time, unless the lock of the role is released by force or lost
 * by Redis. Work that started during a term may still be running when the term ends: check {@link #isLeader()} between steps, and
 * check the {@linkplain Term#fencingToken() fencing token} where something must never happen twice.
 *
 * <p>Listeners are called on a separate thread, which they may block, and one at a time for each role: for each term {@code
 * onElected} before {@code onRevoked}, and {@code onRevoked} before {@code onElected} of the next term. They must return
 * eventually, because later calls wait for them: if 100 events are waiting, terms that are over are skipped. Their exceptions
 * are logged and have no other effect. The term may already be over when a listener is called.
 */
public interface Leadership {

    /** {@return the role} */
    String role();

    /**
     * Does not call Redis.
     *
     * @return whether this instance is certainly the leader now; false once its term has been lost, given up or stopped, or is past
     *     its deadline by the local clock
     */
    boolean isLeader();

    /**
     * Does not call Redis.
     *
     * @return the current term, if this instance is the leader
     */
    Optional<Term> term();

    /**
     * Registers an action that is called at the beginning of each term of this instance, and for the current term, if there is
     * one.
     *
     * @param action receives the term
     */
    void onElected(Consumer<Term> action);

    /**
     * Registers an action that is called at the end of each term of this instance, whether it was lost, {@linkplain #resign()
     * given up}, or ended by stopping the election. In the last two cases the lock is released once the listeners have
     * returned, or after 10 s, so the next leader starts only after they have finished. A lost term cannot wait for them.
     *
     * @param action receives the term
     */
    void onRevoked(Consumer<Term> action);

    /**
     * Gives up the current term, so that the next candidate becomes the leader. This instance becomes a candidate again, behind
     * the others, after 0.5 to 1 s. Once this method has returned, {@link #isLeader()} is false; the lock is released later,
     * see {@link #onRevoked}.
     *
     * @return whether there was a term to give up
     */
    boolean resign();

    /**
     * Queries the store for the instance that is the leader now, this one or another.
     *
     * @return the holder of the role's lock; empty if there is no leader at the moment
     * @throws LockStoreException if the store rejected the call or did not respond
     */
    Optional<LockHolder> leader();
}
