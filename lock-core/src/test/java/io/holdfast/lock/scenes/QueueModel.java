package io.holdfast.lock.scenes;

import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One lock as two plain lists, of those who hold it and of those who wait, on a clock that somebody else moves. */
final class QueueModel {

    /** Somebody who waits, or for whom the lock is reserved. */
    static final class Place {
        final AcquireRequest request;
        final int arrival;
        Duration aliveUntil;
        boolean lapsed;

        private Place(AcquireRequest request, int arrival) {
            this.request = request;
            this.arrival = arrival;
        }
    }

    /** Somebody who holds the lock, for certain or by a reservation. */
    static final class Holder {
        final OwnerId owner;
        final AcquireRequest request;
        boolean exclusive;
        Duration end;

        /** What it comes back to if nobody confirms the reservation; null if it is none. */
        @Nullable
        Place place;

        private Holder(AcquireRequest request, Duration end, @Nullable Place place) {
            this.owner = request.owner();
            this.request = request;
            this.exclusive = request.isExclusive();
            this.end = end;
            this.place = place;
        }
    }

    enum Answer {
        GRANTED,
        HELD,
        CANCELLED
    }

    private static final Comparator<Place> BY_ARRIVAL = Comparator.comparing(place -> place.arrival);

    final List<Holder> holders = new ArrayList<>();
    final List<Place> queue = new ArrayList<>();

    /** Grants in their order; whoever reads them clears the list. */
    final List<Holder> granted = new ArrayList<>();

    private final Map<OwnerId, Duration> cancelled = new HashMap<>();
    Duration now = Duration.ZERO;
    private int arrivals;

    boolean isOver(Duration end) {
        return end.compareTo(now) <= 0;
    }

    @Nullable
    Holder holder(OwnerId owner) {
        return holders.stream()
                .filter(holder -> holder.owner.equals(owner) && !isOver(holder.end))
                .findFirst()
                .orElse(null);
    }

    @Nullable
    Place waiter(OwnerId owner) {
        return queue.stream()
                .filter(place -> place.request.owner().equals(owner))
                .findFirst()
                .orElse(null);
    }

    List<Holder> liveHolders() {
        return holders.stream().filter(holder -> !isOver(holder.end)).toList();
    }

    List<Place> liveWaiters() {
        return queue.stream().filter(place -> !isOver(place.aliveUntil)).toList();
    }

    Answer acquire(AcquireRequest request) {
        OwnerId owner = request.owner();
        if (cancelled.containsKey(owner) && !isOver(cancelled.get(owner))) {
            return Answer.CANCELLED;
        }
        if (holder(owner) == null) {
            keep(owner);
            settle();
        }
        Duration end = now.plusMillis(request.leaseMillis());
        Holder mine = holder(owner);
        if (mine != null) {
            confirm(mine, end);
            return Answer.GRANTED;
        }
        Place place = waiter(owner);
        if (place == null && queue.isEmpty() && mayHold(request)) {
            grant(request, end, null);
            return Answer.GRANTED;
        }
        if (!request.waiting()) {
            queue.remove(place);
        } else if (place == null) {
            queue.add(new Place(request, ++arrivals));
            keep(owner);
        }
        settle();
        return Answer.HELD;
    }

    /** A lease takes the place of a reservation, and never shortens a lease. */
    private static void confirm(Holder holder, Duration end) {
        boolean reserved = holder.place != null;
        holder.place = null;
        holder.end = reserved || end.compareTo(holder.end) > 0 ? end : holder.end;
    }

    /** Whoever asks is alive. */
    void keep(OwnerId owner) {
        for (Place place : queue) {
            if (place.request.owner().equals(owner)) {
                place.aliveUntil = now.plus(LockStore.ENTRY_TIMEOUT);
            }
        }
        for (Holder holder : holders) {
            if (holder.place != null && holder.owner.equals(owner)) {
                holder.place.aliveUntil = now.plus(LockStore.ENTRY_TIMEOUT);
            }
        }
    }

    /** Returns those who should ask: who have no place, or for whom the lock is reserved. */
    List<OwnerId> keepEntries(List<OwnerId> owners) {
        owners.forEach(this::keep);
        settle();
        return owners.stream().filter(owner -> waiter(owner) == null).toList();
    }

    boolean renew(OwnerId owner, Duration lease) {
        Holder holder = holder(owner);
        if (holder != null) {
            confirm(holder, now.plus(lease));
        }
        return holder != null;
    }

    boolean release(OwnerId owner) {
        Holder holder = holder(owner);
        if (holder == null) {
            holder = unmissed(owner);
        }
        if (holder == null) {
            giveUpPlace(owner);
            return false;
        }
        holders.remove(holder);
        settle();
        return true;
    }

    /** Whoever held it alone has not lost it as long as nobody came for it. */
    private @Nullable Holder unmissed(OwnerId owner) {
        boolean anybodyElse = !queue.isEmpty() || holders.stream().anyMatch(holder -> holder.place != null);
        return holders.stream()
                .filter(holder -> holder.exclusive && holder.owner.equals(owner) && !anybodyElse)
                .findFirst()
                .orElse(null);
    }

    private void giveUpPlace(OwnerId owner) {
        queue.removeIf(place -> place.request.owner().equals(owner));
        holders.stream().filter(holder -> holder.owner.equals(owner)).forEach(holder -> holder.place = null);
        settle();
    }

    boolean downgrade(OwnerId owner) {
        Holder holder = holder(owner);
        if (holder == null) {
            giveUpPlace(owner);
            return false;
        }
        holder.place = null;
        holder.exclusive = false;
        settle();
        return true;
    }

    void leave(OwnerId owner, Duration cancelledFor) {
        if (!cancelledFor.isZero()) {
            cancelled.put(owner, now.plus(cancelledFor));
        }
        queue.removeIf(place -> place.request.owner().equals(owner));
        holders.removeIf(holder -> holder.owner.equals(owner));
        settle();
    }

    /** Returns who held it. A reservation is taken away with its place; one that has lapsed before is none. */
    List<OwnerId> force() {
        queue.addAll(dropEnded());
        queue.sort(BY_ARRIVAL);
        List<OwnerId> former = holders.stream().map(holder -> holder.owner).toList();
        holders.clear();
        settle();
        return former;
    }

    private boolean mayHold(AcquireRequest request) {
        return request.isExclusive()
                ? holders.isEmpty()
                : weight(holders) + request.weight() <= request.limit()
                        && holders.stream().noneMatch(holder -> holder.exclusive);
    }

    static long weight(List<Holder> holders) {
        return holders.stream().mapToLong(holder -> holder.request.weight()).sum();
    }

    private void grant(AcquireRequest request, Duration end, @Nullable Place place) {
        Holder holder = new Holder(request, end, place);
        holders.add(holder);
        granted.add(holder);
    }

    /** Those whose reservation has lapsed are passed once, and then have their old places. */
    private void settle() {
        List<Place> lapsed = dropEnded();
        serve();
        queue.addAll(lapsed);
        queue.sort(BY_ARRIVAL);
        serve();
    }

    /** Returns the places of those who are alive although their reservation has lapsed. */
    private List<Place> dropEnded() {
        List<Place> lapsed = new ArrayList<>();
        for (Holder holder : List.copyOf(holders)) {
            if (isOver(holder.end)) {
                holders.remove(holder);
                if (holder.place != null && !isOver(holder.place.aliveUntil)) {
                    holder.place.lapsed = true;
                    lapsed.add(holder.place);
                }
            }
        }
        return lapsed;
    }

    /** First come, first served, as long as the first one may hold the lock together with those who do. */
    private void serve() {
        while (!queue.isEmpty()) {
            Place first = queue.get(0);
            boolean dead = isOver(first.aliveUntil);
            if (!dead && !mayHold(first.request)) {
                return;
            }
            queue.remove(0);
            if (!dead) {
                grant(first.request, first.aliveUntil, first);
            }
        }
    }
}
