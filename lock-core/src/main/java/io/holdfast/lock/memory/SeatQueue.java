package io.holdfast.lock.memory;

import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Waiters;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The seats of one lock: those in the queue, by ticket, and those that left it because the lock is reserved for them.
 *
 * <p>A dead seat goes when it comes to the head. Behind a live head that could take long, so whoever takes a new seat
 * also looks at {@link #SWEPT} others, at a place that moves on from call to call: each goes round the queue faster than
 * it grows.
 */
final class SeatQueue {

    private static final int SWEPT = 2;

    private final TreeMap<Long, Seat> queue = new TreeMap<>();
    private final Map<OwnerId, Seat> queued = new HashMap<>();
    private final Map<OwnerId, Seat> reserved = new LinkedHashMap<>();
    private long lastTicket;
    private long cursor;

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** Whether nobody waits, and the lock is reserved for nobody. */
    boolean isUnused() {
        return queue.isEmpty() && reserved.isEmpty();
    }

    @Nullable
    Seat find(OwnerId owner) {
        Seat seat = queued.get(owner);
        return seat != null ? seat : reserved.get(owner);
    }

    void take(AcquireRequest request, long now) {
        sweep(now);
        enqueue(new Seat(request, ++lastTicket, now));
    }

    /** Gives up a seat, and the reservation that it may have. */
    void remove(OwnerId owner) {
        Seat seat = queued.get(owner);
        if (seat != null) {
            dequeue(seat);
        }
        reserved.remove(owner);
    }

    /**
     * Whoever asks is alive, and was not missed as long as nobody has dropped its seat. A seat that was kept at a later time
     * shows that the clock went back.
     */
    void keep(OwnerId owner, long now) {
        Seat seat = find(owner);
        if (seat != null) {
            if (seat.isImplausible(now)) {
                heedClock(now);
            }
            seat.keep(now);
        }
    }

    /** The first live seat; the dead ones before it go. */
    @Nullable
    Seat head(long now) {
        while (!queue.isEmpty()) {
            Seat first = queue.firstEntry().getValue();
            if (first.isImplausible(now)) {
                heedClock(now);
            }
            if (first.isAlive(now)) {
                return first;
            }
            dequeue(first);
        }
        return null;
    }

    /** The clock went back, and seats would live until it has caught up: they count from now, once. */
    void heedClock(long now) {
        Stream.concat(queue.values().stream(), reserved.values().stream())
                .filter(seat -> seat.isImplausible(now))
                .forEach(seat -> seat.keep(now));
    }

    void reserve(Seat seat) {
        dequeue(seat);
        reserved.put(seat.owner(), seat);
    }

    boolean hasReserved() {
        return !reserved.isEmpty();
    }

    boolean isReserved(OwnerId owner) {
        return reserved.containsKey(owner);
    }

    /** The owner holds the lock for good, or not any more. */
    void confirm(OwnerId owner) {
        reserved.remove(owner);
    }

    /** The live seats among those whose reservations have ended. They are out of the queue until they are put back. */
    List<Seat> takeLapsed(List<OwnerId> ended, long now) {
        List<Seat> lapsed = new ArrayList<>();
        for (OwnerId owner : ended) {
            Seat seat = reserved.remove(owner);
            if (seat != null && seat.isAlive(now)) {
                lapsed.add(seat);
            }
        }
        return lapsed;
    }

    void putBack(List<Seat> seats) {
        seats.forEach(this::enqueue);
    }

    Waiters waiters() {
        if (queue.isEmpty()) {
            return Waiters.NONE;
        }
        return queue.values().stream().anyMatch(Seat::isFair) ? Waiters.FAIR : Waiters.UNFAIR;
    }

    int countAlive(long now) {
        return (int) queue.values().stream().filter(seat -> seat.isAlive(now)).count();
    }

    /** How many seats are in the queue, dead ones included. */
    int length() {
        return queue.size();
    }

    private void enqueue(Seat seat) {
        queue.put(seat.ticket(), seat);
        queued.put(seat.owner(), seat);
    }

    private void dequeue(Seat seat) {
        queue.remove(seat.ticket());
        queued.remove(seat.owner());
    }

    private void sweep(long now) {
        for (int i = 0; i < SWEPT; i++) {
            Map.Entry<Long, Seat> next = queue.higherEntry(cursor);
            cursor = next == null ? 0 : next.getKey();
            if (next != null && next.getValue().isImplausible(now)) {
                heedClock(now);
            }
            if (next != null && !next.getValue().isAlive(now)) {
                dequeue(next.getValue());
            }
        }
    }
}
