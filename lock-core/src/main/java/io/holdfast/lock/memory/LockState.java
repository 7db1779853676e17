package io.holdfast.lock.memory;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockSnapshot;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.Waiters;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One lock: the same state, and the same rules, as the hash in Redis. Guarded by the store's mutex. */
final class LockState {

    private final Hints hints;
    private final StoreClock clock;
    private final Occupancy occupancy;
    private final Holders holders;
    private final EntryQueue entries;
    private final Map<OwnerId, Long> cancelled = new HashMap<>();
    private long forgettableAt;

    LockState(Hints hints, StoreClock clock) {
        this.hints = hints;
        this.clock = clock;
        occupancy = new Occupancy(hints, clock);
        holders = occupancy.holders();
        entries = occupancy.entries();
    }

    AcquireReply acquire(AcquireRequest request, long now) {
        OwnerId owner = request.owner();
        if (isCancelled(owner, now)) {
            return new AcquireReply.Cancelled();
        }
        long leaseEnd = now + TimeUnit.MILLISECONDS.toNanos(request.leaseMillis());
        if (holders.find(owner, now) == null) {
            entries.keep(owner, now);
            occupancy.settle(now);
        }
        HoldRecord hold = holders.find(owner, now);
        if (hold != null) {
            return grantedAgain(hold, request, leaseEnd);
        }
        if (entries.find(owner) == null && entries.isEmpty() && occupancy.admits(request)) {
            return granted(occupancy.grant(request, leaseEnd, now));
        }
        takeOrLeaveEntry(request, now);
        occupancy.settle(now);
        return held(now);
    }

    /** How a request that does not wait would be refused; empty if it would be granted. */
    Optional<AcquireReply> refusal(AcquireRequest request, long now) {
        if (isCancelled(request.owner(), now)) {
            return Optional.of(new AcquireReply.Cancelled());
        }
        occupancy.settle(now);
        boolean granted =
                holders.find(request.owner(), now) != null || (entries.isEmpty() && occupancy.admits(request));
        return granted ? Optional.empty() : Optional.of(held(now));
    }

    private boolean isCancelled(OwnerId owner, long now) {
        cancelled.values().removeIf(end -> Times.isOver(end, now));
        return cancelled.containsKey(owner);
    }

    private AcquireReply held(long now) {
        return new AcquireReply.Held(holders.describeAny(now), clock.micros(now), occupancy.blockedFor(now), false);
    }

    /** The lock was granted to this owner before, or is reserved for it. */
    private AcquireReply grantedAgain(HoldRecord hold, AcquireRequest request, long leaseEnd) {
        HoldRecord named = request.raising() ? occupancy.withTokenFrom(hold, request.leastToken()) : hold;
        HoldRecord confirmed = named.until(confirmedEnd(request.owner(), hold, leaseEnd));
        holders.replace(hold, confirmed);
        return granted(confirmed);
    }

    /**
     * The owner has called. The lease that it asks for takes the place of its reservation, also if that would end later. A lease
     * is never shortened.
     */
    private long confirmedEnd(OwnerId owner, HoldRecord hold, long leaseEnd) {
        boolean wasReserved = entries.isReserved(owner);
        entries.confirm(owner);
        return wasReserved ? leaseEnd : Times.later(hold.leaseEnd(), leaseEnd);
    }

    private AcquireReply granted(HoldRecord hold) {
        return new AcquireReply.Granted(hold.token(), hold.tokens(), entries.waiters(), false);
    }

    private void takeOrLeaveEntry(AcquireRequest request, long now) {
        if (!request.waiting()) {
            entries.remove(request.owner());
        } else if (entries.find(request.owner()) == null) {
            tellHolder(request);
            entries.take(request, now);
        }
    }

    /** A holder of many tokens may hand the lock off within its own process, and is notified to stop that soon. */
    private void tellHolder(AcquireRequest request) {
        HoldRecord holder = holders.exclusive();
        OwnerId owner = holder == null || holder.tokens() <= 1 ? null : holder.owner();
        if (owner != null && (entries.isEmpty() || request.fair())) {
            hints.awaited(owner, request.fair() ? Waiters.FAIR : Waiters.UNFAIR);
        }
    }

    ReleaseReply release(ReleaseRequest request, long now) {
        HoldRecord hold = releasable(request, now);
        if (hold == null) {
            return notHolder(request.owner(), now);
        }
        entries.confirm(request.owner());
        giveBackTokensAfter(request.lastToken(), hold.token() - 1, hold);
        long keepNanos = request.keep().toNanos();
        if (keepNanos > 0) {
            holders.replace(hold, hold.keptUntil(now + keepNanos));
        } else {
            holders.remove(hold);
            occupancy.settle(now);
        }
        return ReleaseReply.RELEASED;
    }

    /** None from before the grant: if that came late, others may have had later tokens than it used. */
    private void giveBackTokensAfter(long lastToken, long least, HoldRecord hold) {
        if (lastToken != ReleaseRequest.ALL_TOKENS && hold.isExclusive()) {
            occupancy.giveBackTokensAfter(Math.max(lastToken, least));
        }
    }

    /** A live hold, or an exclusive one that has ended while nobody came for the lock, unless it is to be kept. */
    private @Nullable HoldRecord releasable(ReleaseRequest request, long now) {
        HoldRecord live = holders.find(request.owner(), now);
        HoldRecord alone = holders.exclusive();
        boolean unmissed = alone != null
                && request.owner().equals(alone.owner())
                && request.keep().isZero()
                && entries.isUnused();
        return live == null && unmissed ? alone : live;
    }

    private ReleaseReply notHolder(OwnerId owner, long now) {
        entries.remove(owner);
        occupancy.settle(now);
        return ReleaseReply.NOT_HOLDER;
    }

    ReleaseReply downgrade(OwnerId owner, long lastToken, long now) {
        HoldRecord hold = holders.find(owner, now);
        if (hold == null) {
            return notHolder(owner, now);
        }
        entries.confirm(owner);
        giveBackTokensAfter(lastToken, hold.token(), hold);
        holders.replace(hold, hold.shared());
        occupancy.settle(now);
        return ReleaseReply.RELEASED;
    }

    RenewReply renew(RenewRequest request, long now) {
        HoldRecord hold = holders.find(request.owner(), now);
        if (hold == null) {
            return new RenewReply.NotHolder();
        }
        long end = now + TimeUnit.MILLISECONDS.toNanos(request.leaseMillis());
        holders.replace(hold, hold.until(confirmedEnd(request.owner(), hold, end)));
        return new RenewReply.Renewed();
    }

    EntryReply keepEntries(List<OwnerId> owners, long now) {
        owners.forEach(owner -> entries.keep(owner, now));
        occupancy.settle(now);
        List<OwnerId> called = owners.stream().filter(occupancy::isCalled).toList();
        return new EntryReply.Kept(called, clock.micros(now), occupancy.blockedFor(now));
    }

    void leave(OwnerId owner, long cancelledNanos, long lastToken, long now) {
        if (cancelledNanos > 0) {
            cancelled.put(owner, now + cancelledNanos);
        }
        entries.remove(owner);
        HoldRecord alone = holders.exclusive();
        if (alone != null && owner.equals(alone.owner())) {
            giveBackTokensAfter(lastToken, alone.token() - 1, alone);
        }
        holders.remove(owner);
        occupancy.settle(now);
    }

    LockSnapshot inspect(LockKey key, long now) {
        return new LockSnapshot(key, holders.describe(now), entries.countAlive(now), occupancy.lastToken());
    }

    /** Changes nothing. */
    LockStatus status(LockKey key, long now) {
        return new LockStatus(
                key,
                holders.describe(now).stream().limit(LockStatus.MOST_HOLDERS).toList(),
                entries.describe(now).limit(LockStatus.MOST_QUEUED).toList(),
                entries.countAlive(now),
                occupancy.lastToken());
    }

    List<LockHolder> forceRelease(Set<LockMode> modes, long now) {
        occupancy.dropEnded(now);
        List<LockHolder> held = new ArrayList<>();
        for (HoldRecord hold : holders.all()) {
            if (modes.contains(hold.mode())) {
                held.add(hold.describe(now));
                holders.remove(hold);
                revoke(hold.owner());
            }
        }
        occupancy.settle(now);
        return held;
    }

    /** A lock that is only kept after its release has no owner. */
    private void revoke(@Nullable OwnerId owner) {
        if (owner != null) {
            entries.confirm(owner);
            hints.revoked(owner);
        }
    }

    /** How many entries are remembered, dead ones in the queue included. */
    int queueLength() {
        return entries.length();
    }

    void touch(long retainedUntil) {
        long last = occupancy.latestEnd(retainedUntil);
        for (long end : cancelled.values()) {
            last = Times.later(last, end);
        }
        forgettableAt = last;
    }

    boolean isForgettable(long now) {
        return Times.isOver(forgettableAt, now);
    }
}
