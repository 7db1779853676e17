package io.holdfast.lock.engine.hold;

import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.Followers;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.testing.ManualThreads;
import io.holdfast.lock.waiting.LocalQueue;
import io.holdfast.lock.waiting.QueueEntry;
import java.time.Duration;
import java.util.function.BiConsumer;

/** Makes holds that nobody waits for. */
public final class Holds {

    private Holds() {}

    /** Exclusive, renewed, and never reported as a long hold. */
    public static Terms terms(Duration lease) {
        return terms(lease, AcquireRequest.EXCLUSIVE);
    }

    /** The same, for that many holders. */
    public static Terms terms(Duration lease, int limit) {
        return terms("", lease.toNanos(), Terms.UNLIMITED, Duration.ofDays(1).toNanos(), limit, true);
    }

    public static Terms terms(String name, long leaseNanos, long maxHoldNanos, long warnAfterNanos) {
        return terms(name, leaseNanos, maxHoldNanos, warnAfterNanos, AcquireRequest.EXCLUSIVE, true);
    }

    /** The same, but the lease is not renewed. */
    static Terms fixed(Terms terms) {
        return terms(
                terms.name(), terms.leaseNanos(), terms.maxHoldNanos(), terms.warnAfterNanos(), terms.limit(), false);
    }

    /** The same, but shared. */
    static Terms shared(Terms terms) {
        return terms(terms.name(), terms.leaseNanos(), terms.maxHoldNanos(), terms.warnAfterNanos(), 2, terms.renew());
    }

    private static Terms terms(
            String name, long leaseNanos, long maxHoldNanos, long warnAfterNanos, int limit, boolean renew) {
        return new Terms(
                LockKey.of("any"),
                name,
                leaseNanos,
                maxHoldNanos,
                warnAfterNanos,
                limit,
                1,
                false,
                renew,
                0,
                0,
                Integer.MAX_VALUE,
                false,
                Duration.ZERO);
    }

    /** The same, for another lock. */
    public static Terms of(LockKey key, Terms terms) {
        return new Terms(
                key,
                terms.name(),
                terms.leaseNanos(),
                terms.maxHoldNanos(),
                terms.warnAfterNanos(),
                terms.limit(),
                terms.weight(),
                terms.fair(),
                terms.renew(),
                terms.minHoldNanos(),
                terms.outageNanos(),
                terms.maxWaiting(),
                terms.interrupting(),
                terms.dataKeep());
    }

    public static Hold hold(
            LockKey key,
            Terms terms,
            OwnerId owner,
            long token,
            long at,
            long deadline,
            Ticker ticker,
            BiConsumer<Hold, LockEvent.Lost> onLost) {
        LocalQueue.Place alone = mock(LocalQueue.Place.class);
        when(alone.followers()).thenReturn(Followers.NONE);
        Hold hold = hold(key, terms, owner, token, at, deadline, alone, ticker, onLost);
        hold.open(terms, null);
        return hold;
    }

    /** What a handle of one lock holds. */
    public static Hold of(LockHandle handle) {
        return ((Handle) handle).uses.get(0).hold;
    }

    /** Nobody renews them. */
    public static HeldLocks locks(ClientContext client, EventPublisher events) {
        return new HeldLocks(client, events, 0, event -> {}, new ManualThreads());
    }

    /**
     * Without a use.
     *
     * @param place of a caller that may give the lock back
     */
    static Hold hold(
            LockKey key,
            Terms terms,
            OwnerId owner,
            long token,
            long at,
            long deadline,
            LocalQueue.Place place,
            Ticker ticker,
            BiConsumer<Hold, LockEvent.Lost> onLost) {
        var grant = new QueueEntry.Grant(owner, token, at, deadline, 0, Waiters.NONE, true, false);
        return new Hold(of(key, terms), grant, new HolderInfo("host", 1, "main"), place, ticker, onLost);
    }
}
