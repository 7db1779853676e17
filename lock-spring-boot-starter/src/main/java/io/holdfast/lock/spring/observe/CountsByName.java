package io.holdfast.lock.spring.observe;

import io.holdfast.lock.api.LockActivity;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How many locks of each name are held, and waited for, by the books of a client. Each gauge has one name, and asks for
 * itself; so while there are many locks, they are counted once for all gauges that are read one after the other.
 */
final class CountsByName {

    /** Fewer are counted anew each time. */
    private static final int MANY = 1_000;

    private static final long REUSED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private record Counts(Map<String, Long> held, Map<String, Long> waiting, int number, long at) {}

    private final LockActivity books;
    private final LongSupplier nanoTime;
    private volatile @Nullable Counts last;

    CountsByName(LockActivity books, LongSupplier nanoTime) {
        this.books = books;
        this.nanoTime = nanoTime;
    }

    long held(String name) {
        return counts().held().getOrDefault(name, 0L);
    }

    long waiting(String name) {
        return counts().waiting().getOrDefault(name, 0L);
    }

    private Counts counts() {
        Counts known = last;
        long now = nanoTime.getAsLong();
        if (known == null || known.number() < MANY || now - known.at() > REUSED_NANOS) {
            var held = books.held();
            var waiting = books.waiting();
            known = new Counts(
                    count(held.stream().map(LockActivity.Hold::name)),
                    count(waiting.stream().map(LockActivity.Wait::name)),
                    held.size() + waiting.size(),
                    now);
            last = known;
        }
        return known;
    }

    private Map<String, Long> count(Stream<String> names) {
        return names.collect(Collectors.groupingBy(name -> name, Collectors.counting()));
    }
}
