package io.holdfast.lock.lease;

import java.util.Iterator;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What is checked next, ordered by time. Thread-safe.
 *
 * @param <S> what is checked; has at most one alarm, which it stores itself
 */
final class Alarms<S> implements Iterable<Alarms.Alarm<S>> {

    /** When to check something. Ordered by time, compared by difference, since the ticker may wrap. */
    record Alarm<S>(long at, long number, S subject) implements Comparable<Alarm<S>> {
        @Override
        public int compareTo(Alarm<S> other) {
            long byTime = at - other.at;
            return byTime != 0 ? Long.signum(byTime) : Long.compare(number, other.number);
        }
    }

    private final ConcurrentSkipListSet<Alarm<S>> alarms = new ConcurrentSkipListSet<>();
    private final AtomicLong numbers = new AtomicLong();

    /** Returns the new alarm, which replaces the former one. */
    Alarm<S> replace(@Nullable Alarm<S> former, long at, S subject) {
        remove(former);
        Alarm<S> next = new Alarm<>(at, numbers.incrementAndGet(), subject);
        alarms.add(next);
        return next;
    }

    void remove(@Nullable Alarm<S> alarm) {
        if (alarm != null) {
            alarms.remove(alarm);
        }
    }

    /** Removes the first alarm, if it is due. */
    @Nullable
    Alarm<S> pollDue(long now) {
        Alarm<S> first = first();
        while (first != null && first.at - now <= 0) {
            if (alarms.remove(first)) {
                return first;
            }
            first = first();
        }
        return null;
    }

    /** The time of the first alarm, or the given time if it is earlier. */
    long firstAt(long otherwise) {
        Alarm<S> first = first();
        return first == null ? otherwise : earlier(first.at, otherwise);
    }

    private @Nullable Alarm<S> first() {
        Iterator<Alarm<S>> all = alarms.iterator();
        return all.hasNext() ? all.next() : null;
    }

    @Override
    public Iterator<Alarm<S>> iterator() {
        return alarms.iterator();
    }

    static long later(long a, long b) {
        return a - b >= 0 ? a : b;
    }

    static long earlier(long a, long b) {
        return a - b <= 0 ? a : b;
    }
}
