package io.holdfast.lock.spring.observe;

import io.holdfast.lock.api.LockActivity;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
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
    private final UnaryOperator<String> tags;
    private final LongSupplier nanoTime;
    private volatile @Nullable Counts last;

    /**
     * @param tags the tag of each name
     */
    CountsByName(LockActivity books, UnaryOperator<String> tags, LongSupplier nanoTime) {
        this.books = books;
        this.tags = tags;
        this.nanoTime = nanoTime;
    }

    long held(String tag) {
        return counts().held().getOrDefault(tag, 0L);
    }

    long waiting(String tag) {
        return counts().waiting().getOrDefault(tag, 0L);
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
        return names.collect(Collectors.groupingBy(tags, Collectors.counting()));
    }
}
