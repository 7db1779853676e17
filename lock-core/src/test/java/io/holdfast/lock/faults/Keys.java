package io.holdfast.lock.faults;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** What crews lock. */
final class Keys {

    private Keys() {}

    /** Whether it is often held for longer than its lease: the first two of each use. */
    static boolean isHeldForLong(String key) {
        return key.endsWith("-1") || key.endsWith("-2");
    }

    /** So many keys of each use. */
    static List<String> forAllUses(int count) {
        return of(count, Use.values());
    }

    /** So many keys of each of these uses. */
    static List<String> of(int count, Use... uses) {
        return Arrays.stream(uses)
                .flatMap(use -> IntStream.rangeClosed(1, count).mapToObj(use::key))
                .toList();
    }
}
