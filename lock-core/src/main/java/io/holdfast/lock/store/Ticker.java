package io.holdfast.lock.store;

/**
 * The monotonic clock that deadlines are counted on. Only differences mean anything, and only within one process.
 */
@FunctionalInterface
public interface Ticker {

    /** The JVM's own. */
    Ticker SYSTEM = System::nanoTime;

    /** {@return nanoseconds from an arbitrary origin} */
    long nanos();
}
