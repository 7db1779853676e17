package io.holdfast.lock.waiting;

import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.store.Waiters;
import java.util.concurrent.TimeUnit;

/**
 * The threads of this client that get a lock one after the other from a single grant of the store: how long they may go
 * on, and with which fencing tokens. Lock cohorting after Dice, Marathe and Shavit, "Lock Cohorting" (2012), with the
 * network in the place of the NUMA interconnect.
 *
 * <ul>
 *   <li><b>Time.</b> While nobody waits at the store, as far as is known here, {@value #MILLIS_ALONE} ms; then the lock is
 *       given back and asked for anew, so a hint that was lost delays others no longer. Once somebody waits there,
 *       {@value #HAND_OFFS_AWAITED} further hand-offs or {@value #MILLIS_AWAITED} ms, whatever comes first; none if
 *       somebody fair does.
 *   <li><b>Tokens.</b> The grant reserved a block of them, one for each microsecond that the cohort may last. A hand-off
 *       takes the one of its time, counted from when the grant's answer or message came. The store's clock was read before
 *       that, so of a block that began with the store's time no token is handed out ahead of it: tokens also increase
 *       over a loss of the store's data. A block that is not given back (forced release, lost lease) counts as used up, so
 *       the next one begins ahead of the store's clock, by {@value #MILLIS_ALONE} ms at most for each of them; until that has
 *       caught up, a loss of data may repeat tokens.
 * </ul>
 *
 * <p>Only who holds the lock hands it off, and the {@link Line}'s monitor passes the plain fields on with it; hints come
 * on any thread.
 */
final class Cohort {

    private static final int MILLIS_ALONE = 100;
    private static final int MILLIS_AWAITED = 5;
    private static final int HAND_OFFS_AWAITED = 64;

    /** How often the clock is looked at until it shows another microsecond; enough for several. */
    private static final int LOOKS = 200;

    private final OwnerId owner;
    private final long firstToken;
    private final long tokens;
    private final boolean confirmed;
    private final long grantedAt;
    private final Ticker ticker;

    private long lastToken;
    private int handOffsAwaited;
    private volatile Waiters waiters;
    private volatile long awaitedAt;

    /**
     * Creates an instance. The answer to the acquisition, or the message that granted it, has just come.
     *
     * @param owner the acquisition
     * @param firstToken the token of the first holder
     * @param tokens how many were reserved
     * @param waiters who waited at the store at the time of the grant
     * @param confirmed whether the store gave a whole lease; if not, it is short until the watchdog has renewed it
     * @param ticker the clock
     */
    Cohort(OwnerId owner, long firstToken, long tokens, Waiters waiters, boolean confirmed, Ticker ticker) {
        this.owner = owner;
        this.firstToken = firstToken;
        this.tokens = tokens;
        this.confirmed = confirmed;
        this.lastToken = firstToken;
        this.ticker = ticker;
        this.grantedAt = ticker.nanos();
        this.waiters = waiters;
        this.awaitedAt = grantedAt;
    }

    /**
     * {@return how many tokens an acquisition reserves whose client has further threads that want the lock}
     *
     * @param leaseMillis its lease, which the block does not outlast
     */
    public static long tokens(long leaseMillis) {
        return TimeUnit.MILLISECONDS.toMicros(Math.min(MILLIS_ALONE, leaseMillis));
    }

    /** {@return the acquisition that was granted} */
    public OwnerId owner() {
        return owner;
    }

    /** {@return whether the store gave a whole lease at once} */
    public boolean isConfirmed() {
        return confirmed;
    }

    /** {@return whether more than one token was reserved, so that the lock may be handed off} */
    boolean isOpen() {
        return tokens > 1;
    }

    /** {@return the token of the current holder, if more than one was reserved; else 0} */
    public long lastToken() {
        return isOpen() ? lastToken : 0;
    }

    /** In one step: an unfair waiter that two threads announce must not cover up a fair one that comes between. */
    synchronized void awaited(Waiters now) {
        if (waiters == Waiters.NONE) {
            awaitedAt = ticker.nanos();
        }
        if (waiters != Waiters.FAIR) {
            waiters = now;
        }
    }

    /**
     * The token for the next holder.
     *
     * @return 0 if the lock is to be given back to the store now
     */
    long next() {
        for (int look = 0; look < LOOKS; look++) {
            long now = ticker.nanos();
            long token = firstToken + TimeUnit.NANOSECONDS.toMicros(now - grantedAt);
            if (token >= firstToken + tokens || !mayGoOn(now)) {
                return 0;
            }
            if (token > lastToken) {
                return token;
            }
        }
        return 0;
    }

    private boolean mayGoOn(long now) {
        return switch (waiters) {
            case NONE -> true;
            case UNFAIR ->
                handOffsAwaited < HAND_OFFS_AWAITED && now - awaitedAt < TimeUnit.MILLISECONDS.toNanos(MILLIS_AWAITED);
            case FAIR -> false;
        };
    }

    void handedOff(long token) {
        lastToken = token;
        if (waiters != Waiters.NONE) {
            handOffsAwaited++;
        }
    }
}
