package io.holdfast.lock.memory;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockWaiter;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.DataRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.Followers;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One lock, with the same state and the same rules as the hash in Redis. Guarded by the store's mutex.
 *
 * <p>It has holds (none, one that is exclusive, or any number of shared ones) and entries, in the order of their arrival. An entry that the
 * lock is reserved for is not in the queue, but keeps its place, which it may need again. A dead entry is dropped when it reaches the head
 * of the queue, and in any case when another caller queues. A hold that has ended stays until the lock is settled.
 *
 * <p>After {@link #settle} either the queue is empty, or its head is alive and cannot share the lock with the holds. So a newcomer
 * gets the lock only if the queue is empty, and no other check is needed.
 */
final class LockState {

    private static final long ENTRY_NANOS = LockStore.ENTRY_TIMEOUT.toNanos();

    /** A message for the listeners of one client. */
    record Message(String clientId, Consumer<WakeListener> call) {}

    private static final class HoldRecord {
        private final AcquireRequest request;
        private final HolderInfo holder;
        private final Instant since;
        private final long tokens;

        /** Null if the lock has been released, but is kept for its minimum time. */
        private @Nullable OwnerId owner;

        private LockMode mode;
        private long token;
        private long leaseEnd;
        private Followers followers = Followers.NONE;

        HoldRecord(EntryRecord entry, Instant since, long token, long leaseEnd) {
            this.request = entry.request;
            this.holder = entry.holder;
            this.since = since;
            this.tokens = request.isExclusive() ? entry.tokens : 1;
            this.owner = request.owner();
            this.mode = request.isExclusive() ? LockMode.EXCLUSIVE : LockMode.SHARED;
            this.token = token;
            this.leaseEnd = leaseEnd;
        }

        boolean isExclusive() {
            return mode == LockMode.EXCLUSIVE;
        }

        LockHolder describe(long now) {
            String clientId = request.owner().clientId();
            Duration remaining = Duration.ofNanos(Math.max(0, leaseEnd - now));
            return holder.holding(clientId, since, remaining, token, mode, owner == null);
        }
    }

    static final class EntryRecord {
        private final AcquireRequest request;
        /** Another thread of the client may take the place in line. */
        private HolderInfo holder;

        private long tokens;
        private long aliveUntil;
        private boolean reserved;
        private Followers followers = Followers.NONE;

        EntryRecord(AcquireRequest request, long aliveUntil) {
            this.request = request;
            this.holder = request.holder();
            this.tokens = request.tokens();
            this.aliveUntil = aliveUntil;
        }

        LockWaiter describe() {
            LockMode mode = request.isExclusive() ? LockMode.EXCLUSIVE : LockMode.SHARED;
            return holder.waiting(request.owner().clientId(), mode, request.fair(), reserved);
        }
    }

    private final StoreClock clock;
    private final List<Message> messages;
    private final List<HoldRecord> holds = new ArrayList<>();
    final Map<OwnerId, EntryRecord> entries = new LinkedHashMap<>();
    private final Map<OwnerId, Long> cancelled = new HashMap<>();
    private long lastFencingToken;

    /** The greatest token that has read or written the data as holder, and the number of its last write. */
    private long dataToken;

    private long dataNumber;
    private long now;
    private long forgettableAt;

    /** @param messages receives the messages to clients */
    LockState(StoreClock clock, List<Message> messages) {
        this.clock = clock;
        this.messages = messages;
    }

    /** Sets the time of the next call. */
    LockState at(long nanos) {
        now = nanos;
        return this;
    }

    AcquireReply acquire(AcquireRequest request) {
        OwnerId owner = request.owner();
        keep(owner);
        EntryRecord known = entries.get(owner);
        if (known != null) {
            known.holder = request.holder();
            known.tokens = request.tokens();
        }
        Optional<AcquireReply> refusal = refusal(request);
        if (refusal.isEmpty()) {
            HoldRecord held = find(owner);
            HoldRecord hold = held == null ? grant(new EntryRecord(request, now), now) : held;
            raise(hold, request.raising() ? request.leastToken() : 0);
            confirm(hold, request.leaseMillis());
            return new AcquireReply.Granted(hold.token, hold.tokens, waiters(), false);
        }
        if (refusal.get() instanceof AcquireReply.Cancelled) {
            return refusal.get();
        }
        if (!request.waiting()) {
            entries.remove(owner);
        } else if (!entries.containsKey(owner)) {
            notifyHolder(request);
            entries.values().removeIf(entry -> isOver(entry.aliveUntil));
            entries.put(owner, new EntryRecord(request, now + ENTRY_NANOS));
        }
        settle();
        return held(request.waiting() ? (int) queue().count() : 0);
    }

    /** The refusal of a request that does not wait; empty if it would be granted, for the first time or again. */
    Optional<AcquireReply> refusal(AcquireRequest request) {
        cancelled.values().removeIf(this::isOver);
        if (cancelled.containsKey(request.owner())) {
            return Optional.of(new AcquireReply.Cancelled());
        }
        if (find(request.owner()) == null) {
            settle();
        }
        boolean free = queue().findAny().isEmpty() && admits(request);
        return free || find(request.owner()) != null ? Optional.empty() : Optional.of(held(0));
    }

    private AcquireReply held(int queued) {
        return new AcquireReply.Held(holders().findFirst(), clock.micros(now), blockedFor(), queued, false);
    }

    /**
     * Raises the token to at least the given one. An exclusive hold only has to exceed its own tokens, a shared one all that
     * were granted.
     */
    private void raise(HoldRecord hold, long leastToken) {
        if (hold.token < leastToken) {
            hold.token = hold.isExclusive() ? leastToken : Math.max(leastToken, lastFencingToken + 1);
            lastFencingToken = hold.token + hold.tokens - 1;
        }
    }

    /**
     * The owner has called. The lease that it requests replaces its reservation, even if the reservation would end later. A lease is never
     * shortened.
     */
    private void confirm(HoldRecord hold, long leaseMillis) {
        long kept = endReservation(hold.owner) ? 0 : hold.leaseEnd - now;
        hold.leaseEnd = now + Math.max(kept, TimeUnit.MILLISECONDS.toNanos(leaseMillis));
    }

    /** A holder of many tokens may hand the lock off within its own process, and is notified so that it soon stops doing so. */
    private void notifyHolder(AcquireRequest request) {
        HoldRecord hold = exclusive();
        if (hold != null && hold.tokens > 1 && (queue().findAny().isEmpty() || request.fair())) {
            send(hold.owner, (listener, sequence) -> listener.awaited(sequence, kind(request)));
        }
    }

    ReleaseReply release(ReleaseRequest request) {
        HoldRecord hold = releasable(request);
        if (hold == null) {
            return withdraw(request.owner());
        }
        endReservation(request.owner());
        giveBackTokens(hold, request.lastFencingToken(), hold.token - 1);
        if (request.keep().toNanos() > 0) {
            hold.owner = null;
            hold.leaseEnd = now + request.keep().toNanos();
        } else {
            holds.remove(hold);
            settle();
        }
        return ReleaseReply.RELEASED;
    }

    /** A live hold, or an exclusive one that has ended while nobody requested the lock, unless the lock is to be kept. */
    private @Nullable HoldRecord releasable(ReleaseRequest request) {
        HoldRecord hold = find(request.owner());
        if (hold == null && request.keep().isZero() && entries.isEmpty()) {
            HoldRecord alone = exclusive();
            return alone != null && request.owner().equals(alone.owner) ? alone : null;
        }
        return hold;
    }

    /** An owner that does not hold the lock stops waiting for it. */
    private ReleaseReply withdraw(OwnerId owner) {
        entries.remove(owner);
        settle();
        return ReleaseReply.NOT_HOLDER;
    }

    /**
     * Gives back no token from before the grant: if the grant arrived late, others may have received later tokens than those it used.
     */
    private void giveBackTokens(HoldRecord hold, long lastUsed, long least) {
        if (lastUsed != ReleaseRequest.ALL_TOKENS && hold.isExclusive()) {
            lastFencingToken = Math.max(lastUsed, least);
        }
    }

    ReleaseReply downgrade(OwnerId owner, long lastUsed) {
        HoldRecord hold = find(owner);
        if (hold == null) {
            return withdraw(owner);
        }
        endReservation(owner);
        giveBackTokens(hold, lastUsed, hold.token);
        hold.mode = LockMode.SHARED;
        settle();
        return ReleaseReply.RELEASED;
    }

    RenewReply renew(RenewRequest request) {
        HoldRecord hold = find(request.owner());
        if (hold == null) {
            return new RenewReply.NotHolder();
        }
        confirm(hold, request.leaseMillis());
        hold.followers = request.followers();
        return new RenewReply.Renewed();
    }

    EntryReply keepEntries(EntryRequest request) {
        List<OwnerId> owners = request.owners();
        owners.forEach(this::keep);
        entries.forEach((owner, entry) -> entry.followers = request.followers().getOrDefault(owner, entry.followers));
        settle();
        List<OwnerId> called = owners.stream()
                .filter(owner -> !entries.containsKey(owner) || isReserved(owner))
                .toList();
        return new EntryReply.Kept(called, clock.micros(now), blockedFor());
    }

    ReleaseReply leave(OwnerId owner, Duration cancelledFor, long lastUsed) {
        if (!cancelledFor.isZero()) {
            cancelled.put(owner, now + cancelledFor.toNanos());
        }
        holds.stream()
                .filter(hold -> owner.equals(hold.owner))
                .forEach(hold -> giveBackTokens(hold, lastUsed, hold.token - 1));
        holds.removeIf(hold -> owner.equals(hold.owner));
        return withdraw(owner);
    }

    /** Empty if the owner may not read or write the data; otherwise whether to write, unless a later write of the same hold has come first. */
    Optional<Boolean> admit(DataRequest request) {
        if (request.owner() == null) {
            return Optional.of(false);
        }
        HoldRecord hold = find(request.owner());
        if (hold == null || !hold.isExclusive() || request.fencingToken() < dataToken) {
            return Optional.empty();
        }
        if (request.fencingToken() > dataToken || request.number() > dataNumber) {
            dataToken = request.fencingToken();
            dataNumber = request.number();
        }
        return Optional.of(request.value() != null && request.number() == dataNumber);
    }

    List<LockHolder> forceRelease(Set<LockMode> modes) {
        dropEnded().forEach(lapsed -> lapsed.reserved = false);
        List<HoldRecord> ended =
                holds.stream().filter(hold -> modes.contains(hold.mode)).toList();
        List<LockHolder> former = ended.stream().map(hold -> hold.describe(now)).toList();
        holds.removeAll(ended);
        for (HoldRecord hold : ended) {
            endReservation(hold.owner);
            send(hold.owner, WakeListener::revoked);
        }
        settle();
        return former;
    }

    /** Changes nothing. */
    LockStatus status(LockKey key) {
        List<LockWaiter> queue =
                alive().map(EntryRecord::describe).limit(LockStatus.MAX_QUEUED).toList();
        List<LockHolder> first = holders().limit(LockStatus.MAX_HOLDERS).toList();
        Followers waiting = waiting();
        return new LockStatus(key, first, queue, waiting.number(), lastFencingToken, waiting.longestWait());
    }

    /** All waiters: those in the queue, and those in line at their clients, as last reported. */
    private Followers waiting() {
        Stream<Followers> queued =
                alive().map(entry -> new Followers(entry.reserved ? 0 : 1, Duration.ZERO).plus(entry.followers));
        return Stream.concat(live().map(hold -> hold.followers), queued).reduce(Followers.NONE, Followers::plus);
    }

    private Stream<HoldRecord> live() {
        return holds.stream().filter(hold -> !isOver(hold.leaseEnd));
    }

    private Stream<EntryRecord> alive() {
        return entries.values().stream().filter(entry -> !isOver(entry.aliveUntil));
    }

    /** Drops holds that have ended and dead entries, and reserves the lock for the next live entries. */
    private void settle() {
        List<EntryRecord> lapsed = dropEnded();
        reserveForHeads();
        if (!lapsed.isEmpty()) {
            // They were overtaken once; anything that nobody behind them could use is reserved for them again.
            lapsed.forEach(entry -> entry.reserved = false);
            reserveForHeads();
        }
    }

    /**
     * Drops holds that have ended.
     *
     * @return the live entries whose reservations have ended; they are out of the queue until they are put back
     */
    private List<EntryRecord> dropEnded() {
        heedClock();
        List<EntryRecord> lapsed = new ArrayList<>();
        for (HoldRecord hold :
                holds.stream().filter(each -> isOver(each.leaseEnd)).toList()) {
            holds.remove(hold);
            EntryRecord entry = entries.get(hold.owner);
            if (entry != null && entry.reserved) {
                if (isOver(entry.aliveUntil)) {
                    entries.remove(hold.owner);
                } else {
                    lapsed.add(entry);
                }
            }
        }
        return lapsed;
    }

    /**
     * If the clock has gone back, entries and reservations would last until it catches up. So each is limited, once, to one entry timeout
     * from now.
     */
    private void heedClock() {
        entries.values().forEach(entry -> entry.aliveUntil = now + Math.min(entry.aliveUntil - now, ENTRY_NANOS));
        holds.stream()
                .filter(hold -> isReserved(hold.owner))
                .forEach(hold -> hold.leaseEnd = now + Math.min(hold.leaseEnd - now, ENTRY_NANOS));
    }

    /**
     * A reservation ends when its entry would be dead: a dead waiter holds up others for one entry timeout from its last call, and any
     * number of dead waiters together no longer than that. So an entry whose reservation has lapsed is dead, unless its client has called
     * since.
     */
    private void reserveForHeads() {
        List<HoldRecord> granted = new ArrayList<>();
        for (EntryRecord head = head(); head != null && admits(head.request); head = head()) {
            head.reserved = true;
            granted.add(grant(head, head.aliveUntil));
        }
        for (HoldRecord hold : granted) {
            long until = clock.micros(hold.leaseEnd);
            Reservation reservation = new Reservation(hold.token, hold.tokens, waiters(), clock.micros(now), until);
            send(hold.owner, (listener, sequence) -> listener.granted(sequence, reservation));
        }
    }

    /** The first live entry of the queue; drops the dead ones before it. */
    private @Nullable EntryRecord head() {
        for (EntryRecord first : queue().toList()) {
            if (!isOver(first.aliveUntil)) {
                return first;
            }
            entries.remove(first.request.owner());
        }
        return null;
    }

    private HoldRecord grant(EntryRecord entry, long leaseEnd) {
        long token = Math.max(Math.max(lastFencingToken + 1, entry.request.leastToken()), clock.token(now));
        HoldRecord hold = new HoldRecord(entry, clock.wallClock().instant(), token, leaseEnd);
        lastFencingToken = token + hold.tokens - 1;
        holds.add(hold);
        return hold;
    }

    /** Whether the holds leave room for the request. */
    private boolean admits(AcquireRequest request) {
        if (request.isExclusive()) {
            return holds.isEmpty();
        }
        long taken = holds.stream().mapToLong(hold -> hold.request.weight()).sum();
        return exclusive() == null && taken + request.weight() <= request.limit();
    }

    /** The live hold of an owner; a lock that is kept after its release has none. */
    private @Nullable HoldRecord find(OwnerId owner) {
        return live().filter(hold -> owner.equals(hold.owner)).findFirst().orElse(null);
    }

    private @Nullable HoldRecord exclusive() {
        return !holds.isEmpty() && holds.get(0).isExclusive() ? holds.get(0) : null;
    }

    private Stream<LockHolder> holders() {
        return live().map(hold -> hold.describe(now));
    }

    private Duration blockedFor() {
        long nanos = holds.stream().mapToLong(hold -> hold.leaseEnd - now).min().orElse(0);
        return Duration.ofNanos(Math.max(0, nanos));
    }

    /** An owner that calls is alive; if it was paused, that had no effect unless its entry was dropped. */
    private void keep(OwnerId owner) {
        EntryRecord entry = entries.get(owner);
        if (entry != null) {
            entry.aliveUntil = now + ENTRY_NANOS;
        }
    }

    private Stream<EntryRecord> queue() {
        return entries.values().stream().filter(entry -> !entry.reserved);
    }

    private Waiters waiters() {
        return queue().map(entry -> kind(entry.request))
                .max(Comparator.naturalOrder())
                .orElse(Waiters.NONE);
    }

    private static Waiters kind(AcquireRequest waiting) {
        return waiting.fair() ? Waiters.FAIR : Waiters.UNFAIR;
    }

    private boolean isReserved(@Nullable OwnerId owner) {
        EntryRecord entry = entries.get(owner);
        return entry != null && entry.reserved;
    }

    /** The owner has confirmed its hold, or no longer holds the lock. Returns whether the lock was reserved for it. */
    private boolean endReservation(@Nullable OwnerId owner) {
        return isReserved(owner) && entries.remove(owner) != null;
    }

    private void send(@Nullable OwnerId owner, ObjLongConsumer<WakeListener> call) {
        if (owner != null) {
            messages.add(new Message(owner.clientId(), listener -> call.accept(listener, owner.sequence())));
        }
    }

    /** The lock may be forgotten at that time, unless a hold or a cancellation lasts longer. */
    void forgetAt(long nanos) {
        forgettableAt = nanos;
        holds.forEach(hold -> forgettableAt = now + Math.max(forgettableAt - now, hold.leaseEnd - now));
        cancelled.values().forEach(end -> forgettableAt = now + Math.max(forgettableAt - now, end - now));
    }

    boolean isForgettable(long nanos) {
        return forgettableAt - nanos <= 0;
    }

    // Points in time are compared by their difference, since the clock may wrap.

    private boolean isOver(long end) {
        return end - now <= 0;
    }
}
