package io.holdfast.lock.faults;

/**
 * Something that goes wrong, and is over when {@link #happen} returns.
 *
 * @param name what it is, for people
 */
record Fault(String name, Action action) {

    /** What is done to servers or processes. */
    @FunctionalInterface
    interface Action {
        void happen() throws Exception;
    }

    /** One that happened. */
    record Past(String name, long from) {}

    Past happen() throws Exception {
        long from = System.nanoTime();
        action.happen();
        return new Past(name, from);
    }
}
