package io.holdfast.lock.faults;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What crews lock. */
final class Keys {

    private static final int OF_EACH_USE = 6;
    private static final int HELD_FOR_LONG = 2;

    private Keys() {}

    /** How it is held: the first two of each use often for longer than their lease, the last one of all for no time. */
    static Manner manner(String key) {
        int number = Integer.parseInt(key.substring(key.indexOf('-') + 1));
        if (number <= HELD_FOR_LONG) {
            return Manner.LINGERING;
        }
        return number > OF_EACH_USE ? Manner.BRIEF : Manner.CHANGING;
    }

    /** What a run locks. */
    static List<String> of(Use... uses) {
        return Stream.concat(of(OF_EACH_USE, uses).stream(), Stream.of(Use.ALONE.key(OF_EACH_USE + 1)))
                .toList();
    }

    /** So many keys of each of these uses. */
    static List<String> of(int count, Use... uses) {
        return Arrays.stream(uses)
                .flatMap(use -> IntStream.rangeClosed(1, count).mapToObj(use::key))
                .toList();
    }
}
