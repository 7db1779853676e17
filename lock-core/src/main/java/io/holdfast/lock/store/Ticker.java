package io.holdfast.lock.store;

/**
 * The monotonic clock of deadlines. Only differences between its values are meaningful, and only within one process.
 */
@FunctionalInterface
public interface Ticker {

    /** {@link System#nanoTime()}. */
    Ticker SYSTEM = System::nanoTime;

    /** {@return nanoseconds from an arbitrary origin} */
    long nanos();
}
