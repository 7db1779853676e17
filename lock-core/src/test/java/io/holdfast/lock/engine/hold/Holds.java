package io.holdfast.lock.engine.hold;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.testing.ManualThreads;
import io.holdfast.lock.waiting.LocalQueue;
import java.time.Duration;
import java.util.function.BiConsumer;

/** Makes holds that nobody waits for. */
public final class Holds {

    private Holds() {}

    /** Exclusive, renewed, and never reported as a long hold. */
    public static Terms terms(Duration lease) {
        return terms("", lease.toNanos(), Terms.UNLIMITED, Duration.ofDays(1).toNanos());
    }

    public static Terms terms(String name, long leaseNanos, long maxHoldNanos, long warnAfterNanos) {
        return new Terms(
                name,
                leaseNanos,
                maxHoldNanos,
                warnAfterNanos,
                AcquireRequest.EXCLUSIVE,
                1,
                false,
                true,
                0,
                0,
                Integer.MAX_VALUE,
                false);
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
        return hold(key, terms, owner, token, at, deadline, null, ticker, onLost);
    }

    /** Nobody renews them. */
    public static HeldLocks locks(ClientContext client, EventPublisher events) {
        return new HeldLocks(client, events, event -> {}, new ManualThreads(), false);
    }

    /** @param place of a caller that may give the lock back */
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
        var grant = new Hold.Grant(owner, token, at, deadline, 0, Waiters.NONE, true, false);
        return new Hold(key, terms, grant, new HolderInfo("host", 1, "main"), place, ticker, onLost);
    }
}
