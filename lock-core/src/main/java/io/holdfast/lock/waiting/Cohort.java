package io.holdfast.lock.waiting;

import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.store.Waiters;
import java.util.concurrent.TimeUnit;

/**
 * The threads of this client that hold a lock in turn under a single grant by the store: for how long, and with which fencing tokens.
 * Lock cohorting after Dice, Marathe and Shavit, "Lock Cohorting" (2012), with the network in place of the NUMA interconnect.
 *
 * <ul>
 *   <li><b>Time.</b> While no caller is known to be waiting at the store, {@value #MILLIS_ALONE} ms; then the lock is released and
 *       requested again, so a lost message does not delay others for longer than that. Once callers are waiting there,
 *       {@value #HANDOFFS_AWAITED} further handoffs or {@value #MILLIS_AWAITED} ms, whichever comes first; none if one of them is
 *       fair.
 *   <li><b>Tokens.</b> The grant reserved a block of them, one for each microsecond that the cohort may last. A handoff takes the
 *       token that corresponds to its time, counted from the arrival of the grant. The store's clock was read before that, so if a
 *       block starts with the store's time, no token is used before its time: tokens increase even if the store loses its data. A
 *       block that is not returned (forced release, lost lease) counts as used up, so the next block starts ahead of the store's
 *       clock, by at most {@value #MILLIS_ALONE} ms for each such block; until the clock has caught up, tokens may be repeated if
 *       data is lost.
 * </ul>
 *
 * <p>Only the holder hands the lock off, and the monitor of the line (see {@link LocalQueue}) makes the plain fields visible to the
 * next holder; messages may arrive on any thread.
 */
public final class Cohort {

    private static final int MILLIS_ALONE = 100;
    private static final int MILLIS_AWAITED = 5;
    private static final int HANDOFFS_AWAITED = 64;

    /** How many times the clock is read until it shows another microsecond; enough for several microseconds. */
    private static final int LOOKS = 200;

    /** The grant by the store. */
    final QueueEntry.Grant grant;

    private final long grantedAt;
    private final Ticker ticker;

    /** The token of the current holder. */
    long lastFencingToken;

    private long deadline;
    private int handoffsAwaited;
    private volatile Waiters waiters;
    private volatile long awaitedAt;

    /**
     * Must be created when the grant has just arrived, in a reply or a message.
     *
     * @param grant a grant with more than one token
     * @param ticker the clock
     */
    Cohort(QueueEntry.Grant grant, Ticker ticker) {
        this.grant = grant;
        this.lastFencingToken = grant.token();
        this.ticker = ticker;
        this.grantedAt = ticker.nanos();
        this.waiters = grant.waiters();
        this.awaitedAt = grantedAt;
    }

    /**
     * {@return how many tokens an acquisition reserves if further threads of the client want the lock}
     *
     * @param leaseMillis its lease, which the block does not outlast
     */
    public static long tokens(long leaseMillis) {
        return TimeUnit.MILLISECONDS.toMicros(Math.min(MILLIS_ALONE, leaseMillis));
    }

    /** The latest handoff, which is held from now on. */
    QueueEntry.Grant handoffGrant() {
        return new QueueEntry.Grant(
                grant.owner(), lastFencingToken, ticker.nanos(), deadline, 0, Waiters.NONE, false, false);
    }

    /**
     * Callers are waiting at the store. Atomic, so that with messages on several threads an unfair waiter does not
     * replace a fair one.
     */
    synchronized void awaited(Waiters now) {
        if (waiters == Waiters.NONE) {
            awaitedAt = ticker.nanos();
        }
        if (waiters != Waiters.FAIR) {
            waiters = now;
        }
    }

    /**
     * Takes the token for the next holder.
     *
     * @param until the time until which the lock is certainly held without renewal, on the ticker
     * @return whether there is one; if not, the lock must be released now
     */
    boolean handOff(long until) {
        for (int look = 0; look < LOOKS; look++) {
            long now = ticker.nanos();
            long token = grant.token() + TimeUnit.NANOSECONDS.toMicros(now - grantedAt);
            if (token >= grant.token() + grant.tokens() || !mayGoOn(now)) {
                return false;
            }
            if (token > lastFencingToken) {
                lastFencingToken = token;
                deadline = until;
                handoffsAwaited += waiters == Waiters.NONE ? 0 : 1;
                return true;
            }
        }
        return false;
    }

    private boolean mayGoOn(long now) {
        return switch (waiters) {
            case NONE -> true;
            case UNFAIR ->
                handoffsAwaited < HANDOFFS_AWAITED && now - awaitedAt < TimeUnit.MILLISECONDS.toNanos(MILLIS_AWAITED);
            case FAIR -> false;
        };
    }
}
