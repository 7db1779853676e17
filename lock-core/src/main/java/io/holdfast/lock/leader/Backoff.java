package io.holdfast.lock.leader;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * How long a candidate rests after a failure before it tries again: 100 ms, twice as long each time, 5 s at most, and at random up
 * to a half less, so that the instances of an application do not all come back at once. Used by one thread at a time.
 */
final class Backoff {

    static final Duration FIRST = Duration.ofMillis(100);
    static final Duration LONGEST = Duration.ofSeconds(5);

    private final DoubleSupplier random;
    private Duration next = FIRST;

    /** @param random from 0 to 1 */
    Backoff(DoubleSupplier random) {
        this.random = random;
    }

    Duration next() {
        Duration rest = next;
        Duration doubled = rest.multipliedBy(2);
        next = doubled.compareTo(LONGEST) > 0 ? LONGEST : doubled;
        return shortened(rest);
    }

    /** Whether there was a rest since the last reset. */
    boolean isRepeated() {
        return !next.equals(FIRST);
    }

    void reset() {
        next = FIRST;
    }

    /** {@return that time, or up to a half less} */
    Duration shortened(Duration time) {
        return time.minusNanos((long) (time.toNanos() * random.getAsDouble() / 2));
    }
}
