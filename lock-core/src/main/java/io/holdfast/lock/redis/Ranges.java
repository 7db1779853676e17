package io.holdfast.lock.redis;

import java.time.Duration;

/**
 * Checks settings. Stands outside of {@link RedisLockSettings} because a record inside that is checked too: were that
 * class loaded first, and asked the outer one, then the outer one's constants would be made before those of the record.
 */
final class Ranges {

    private Ranges() {}

    static void check(String name, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(
                    name + " is " + value + "; allowed is " + min.toMillis() + " ms to " + text(max));
        }
    }

    private static String text(Duration value) {
        return value.toDays() > 0 ? value.toDays() + " days" : value.toSeconds() + " s";
    }
}
