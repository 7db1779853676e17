package io.holdfast.lock.lease;

import java.util.Iterator;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What is to be looked at next, in the order of time. Thread-safe. */
final class Alarms implements Iterable<Alarms.Alarm> {

    /** Has one alarm at most, which is guarded by its own monitor. */
    sealed interface Subject permits Lease, Batch {}

    /** When to look at something again. Ordered by time, by difference since the ticker may wrap. */
    record Alarm(long at, long number, Subject subject) implements Comparable<Alarm> {
        @Override
        public int compareTo(Alarm other) {
            long byTime = at - other.at;
            return byTime != 0 ? Long.signum(byTime) : Long.compare(number, other.number);
        }
    }

    private final ConcurrentSkipListSet<Alarm> alarms = new ConcurrentSkipListSet<>();
    private final AtomicLong numbers = new AtomicLong();

    /** Returns the new alarm, in the place of the former one. */
    Alarm replace(@Nullable Alarm former, long at, Subject subject) {
        remove(former);
        Alarm next = new Alarm(at, numbers.incrementAndGet(), subject);
        alarms.add(next);
        return next;
    }

    void remove(@Nullable Alarm alarm) {
        if (alarm != null) {
            alarms.remove(alarm);
        }
    }

    /** Takes out the first alarm, if its time has come. */
    @Nullable
    Alarm pollDue(long now) {
        Alarm first = first();
        while (first != null && first.at - now <= 0) {
            if (alarms.remove(first)) {
                return first;
            }
            first = first();
        }
        return null;
    }

    /** When the first alarm is, or that time if there is none before it. */
    long firstAt(long otherwise) {
        Alarm first = first();
        return first == null ? otherwise : earlier(first.at, otherwise);
    }

    private @Nullable Alarm first() {
        Iterator<Alarm> all = alarms.iterator();
        return all.hasNext() ? all.next() : null;
    }

    @Override
    public Iterator<Alarm> iterator() {
        return alarms.iterator();
    }

    static long later(long a, long b) {
        return a - b >= 0 ? a : b;
    }

    static long earlier(long a, long b) {
        return a - b <= 0 ? a : b;
    }
}
