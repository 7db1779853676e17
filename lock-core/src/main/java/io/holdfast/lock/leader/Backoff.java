package io.holdfast.lock.leader;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * How long a candidate waits after a failure before it tries again: 100 ms, doubled each time, at most 5 s, and randomly
 * shortened by up to half, so that the instances of an application do not all retry at the same time. Used by one thread at a
 * time.
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

    /** Whether there was a delay since the last reset. */
    boolean isRepeated() {
        return !next.equals(FIRST);
    }

    void reset() {
        next = FIRST;
    }

    /** {@return the time, randomly shortened by up to half} */
    Duration shortened(Duration time) {
        return time.minusNanos((long) (time.toNanos() * random.getAsDouble() / 2));
    }
}
