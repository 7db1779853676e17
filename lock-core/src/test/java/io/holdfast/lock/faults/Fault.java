package io.holdfast.lock.faults;

import java.time.Duration;

/**
 * Something that goes wrong, and is over when {@link #happen} returns.
 *
 * @param name what it is, for people
 * @param breaksFor how long after its beginning a lock may have two holders, with tokens in any order, as {@code docs/reliability.md} says; zero if never
 */
record Fault(String name, Duration breaksFor, Action action) {

    /** What is done to servers or processes. */
    @FunctionalInterface
    interface Action {
        void happen() throws Exception;
    }

    /** One after which all promises are kept. */
    Fault(String name, Action action) {
        this(name, Duration.ZERO, action);
    }

    /**
     * One that happened.
     *
     * @param breaksUntil until when a lock may have two holders, with tokens in any order; not after {@code from}, if never
     */
    record Past(String name, long from, long breaksUntil) {

        /** Whether two holders at a time are what the documentation says of it. */
        boolean explains(long begin, long end) {
            return from <= begin && end <= breaksUntil;
        }
    }

    Past happen() throws Exception {
        long from = System.nanoTime();
        action.happen();
        return new Past(name, from, breaksFor.isZero() ? from - 1 : from + breaksFor.toNanos());
    }
}
