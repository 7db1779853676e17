package io.holdfast.lock.memory;

import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Reservation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The holders, reservations and queue of one lock.
 *
 * <p>After {@link #settle} either the queue is empty, or its head is alive and cannot share the lock with the holders and
 * reservations. So a newcomer gets the lock only if the queue is empty, and no other check is needed.
 */
final class Occupancy {

    private final Holders holders = new Holders();
    private final EntryQueue entries = new EntryQueue();
    private final Hints hints;
    private final StoreClock clock;
    private long lastToken;

    Occupancy(Hints hints, StoreClock clock) {
        this.hints = hints;
        this.clock = clock;
    }

    Holders holders() {
        return holders;
    }

    EntryQueue entries() {
        return entries;
    }

    long lastToken() {
        return lastToken;
    }

    /** The exclusive holder has not used those of its tokens that come after this one. */
    void giveBackTokensAfter(long token) {
        lastToken = token;
    }

    /** Drops expired holders and entries, and reserves the lock for the next ones. */
    void settle(long now) {
        heedClock(now);
        List<EntryRecord> lapsed = entries.lapsed(holders.dropEnded(now), now);
        reserveForHeads(now);
        if (!lapsed.isEmpty()) {
            // They were passed once; what nobody behind them could use is theirs again.
            entries.putBack(lapsed);
            reserveForHeads(now);
        }
    }

    /** The clock went back, and reservations would last until it has caught up: they count from now, once. */
    private void heedClock(long now) {
        List<HoldRecord> implausible = holders.all().stream()
                .filter(hold -> hold.owner() != null && entries.isReserved(hold.owner()))
                .filter(hold -> EntryRecord.isImplausible(hold.leaseEnd(), now))
                .toList();
        if (!implausible.isEmpty()) {
            entries.heedClock(now);
            implausible.forEach(hold -> holders.replace(hold, hold.until(now + LockStore.ENTRY_TIMEOUT.toNanos())));
        }
    }

    /** Entries whose reservation lapsed are in their places again. */
    void dropEnded(long now) {
        heedClock(now);
        entries.putBack(entries.lapsed(holders.dropEnded(now), now));
    }

    private void reserveForHeads(long now) {
        List<HoldRecord> granted = new ArrayList<>();
        EntryRecord head = entries.head(now);
        while (head != null && admits(head.request())) {
            head.reserved(true);
            granted.add(grant(head.request(), head.reservationEnd(), now));
            head = entries.head(now);
        }
        for (HoldRecord hold : granted) {
            long until = clock.micros(hold.leaseEnd());
            hints.granted(
                    Objects.requireNonNull(hold.owner()),
                    new Reservation(hold.token(), hold.tokens(), entries.waiters(), clock.micros(now), until));
        }
    }

    HoldRecord grant(AcquireRequest request, long leaseEnd, long now) {
        OwnerId owner = request.owner();
        long tokens = request.isExclusive() ? request.tokens() : 1;
        LockMode mode = request.isExclusive() ? LockMode.EXCLUSIVE : LockMode.SHARED;
        long token = Math.max(Math.max(lastToken + 1, request.leastToken()), clock.token(now));
        lastToken = token + tokens - 1;
        var hold = new HoldRecord(
                owner,
                owner.clientId(),
                request.holder(),
                clock.date(),
                mode,
                token,
                tokens,
                request.weight(),
                leaseEnd);
        holders.add(hold);
        return hold;
    }

    /** The hold with a token that is high enough. An exclusive one passes none but its own, a shared one all others. */
    HoldRecord withTokenFrom(HoldRecord hold, long leastToken) {
        if (hold.token() >= leastToken) {
            return hold;
        }
        long token = hold.isExclusive() ? leastToken : Math.max(leastToken, lastToken + 1);
        lastToken = token + hold.tokens() - 1;
        return hold.withToken(token);
    }

    boolean admits(AcquireRequest request) {
        if (request.isExclusive()) {
            return holders.isEmpty();
        }
        return holders.exclusive() == null && holders.weight() + request.weight() <= request.limit();
    }

    /** Whether the owner should ask: the lock is reserved for it, or it has no entry. */
    boolean isCalled(OwnerId owner) {
        return entries.find(owner) == null || entries.isReserved(owner);
    }

    Duration blockedFor(long now) {
        long nanos =
                holders.leaseEnds().stream().mapToLong(end -> end - now).min().orElse(0);
        return Duration.ofNanos(Math.max(0, nanos));
    }

    /** The latest lease end, or {@code atLeast}. */
    long latestEnd(long atLeast) {
        return holders.leaseEnds().stream().reduce(atLeast, Times::later);
    }
}
