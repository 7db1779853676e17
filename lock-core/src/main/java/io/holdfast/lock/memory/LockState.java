package io.holdfast.lock.memory;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockSnapshot;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One lock: the same fields, and the same rules, as the hash in Redis. Guarded by the store's mutex. */
final class LockState {

    /**
     * @param owner null if the lock is kept for its minimum time, after release
     */
    private record Holder(
            @Nullable OwnerId owner, String clientId, HolderInfo info, Instant since, long token, long leaseEnd) {
        Holder until(long end) {
            return new Holder(owner, clientId, info, since, token, end);
        }
    }

    private @Nullable Holder holder;
    private long token;
    private long forgettableAt;
    private final Map<OwnerId, Long> seats = new HashMap<>();
    private final Map<OwnerId, Long> graves = new HashMap<>();

    AcquireReply acquire(AcquireRequest request, long now, Instant wallTime) {
        prune(now);
        OwnerId owner = request.owner();
        if (graves.containsKey(owner)) {
            return new AcquireReply.Buried();
        }
        long leaseEnd = now + TimeUnit.MILLISECONDS.toNanos(request.leaseMillis());
        Holder current = holder;
        if (current != null && !owner.equals(current.owner())) {
            takeOrLeaveSeat(request, now);
            return new AcquireReply.Held(describe(current, now));
        }
        seats.remove(owner);
        if (current != null) {
            holder = current.until(later(current.leaseEnd, leaseEnd));
            return new AcquireReply.Granted(current.token);
        }
        token = Math.max(token + 1, ChronoUnit.MICROS.between(Instant.EPOCH, wallTime));
        holder = new Holder(owner, owner.clientId(), request.holder(), wallTime, token, leaseEnd);
        return new AcquireReply.Granted(token);
    }

    private void takeOrLeaveSeat(AcquireRequest request, long now) {
        if (request.waiting()) {
            seats.put(request.owner(), now + LockStore.SEAT_TIMEOUT.toNanos());
        } else {
            seats.remove(request.owner());
        }
    }

    ReleaseReply release(OwnerId owner, long keepNanos, long now) {
        Holder current = holder;
        if (current == null || !owner.equals(current.owner())) {
            return ReleaseReply.NOT_HOLDER;
        }
        holder = keepNanos > 0
                ? new Holder(null, current.clientId, current.info, current.since, current.token, now + keepNanos)
                : null;
        return ReleaseReply.RELEASED;
    }

    RenewReply renew(RenewRequest request, long now) {
        prune(now);
        Holder current = holder;
        if (current == null || !request.owner().equals(current.owner())) {
            return new RenewReply.NotHolder();
        }
        long end = now + TimeUnit.MILLISECONDS.toNanos(request.leaseMillis());
        holder = current.until(later(current.leaseEnd, end));
        return new RenewReply.Renewed();
    }

    boolean leave(OwnerId owner, long buryNanos, long now) {
        prune(now);
        seats.remove(owner);
        if (buryNanos > 0) {
            graves.put(owner, now + buryNanos);
        }
        return release(owner, 0, now) == ReleaseReply.RELEASED;
    }

    LockSnapshot inspect(LockKey key, long now) {
        prune(now);
        Holder current = holder;
        return new LockSnapshot(
                key, current == null ? Optional.empty() : Optional.of(describe(current, now)), seats.size(), token);
    }

    Optional<LockHolder> forceRelease(long now) {
        prune(now);
        Holder current = holder;
        holder = null;
        return current == null ? Optional.empty() : Optional.of(describe(current, now));
    }

    void touch(long retainedUntil) {
        long last = holder == null ? retainedUntil : later(retainedUntil, holder.leaseEnd);
        for (long graveEnd : graves.values()) {
            last = later(last, graveEnd);
        }
        forgettableAt = last;
    }

    boolean isForgettable(long now) {
        return forgettableAt - now <= 0;
    }

    private void prune(long now) {
        if (holder != null && holder.leaseEnd - now <= 0) {
            holder = null;
        }
        seats.values().removeIf(end -> end - now <= 0);
        graves.values().removeIf(end -> end - now <= 0);
    }

    /** By difference, since a monotonic clock may wrap. */
    private static long later(long a, long b) {
        return a - b >= 0 ? a : b;
    }

    private static LockHolder describe(Holder current, long now) {
        return new LockHolder(
                current.clientId,
                current.info.host(),
                current.info.pid(),
                current.info.thread(),
                current.since,
                Duration.ofNanos(Math.max(0, current.leaseEnd - now)),
                current.token);
    }
}
