package io.holdfast.lock.sample.race;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for something that another process writes into the database. */
final class Poll {

    private static final long STEP_MILLIS = 10;

    private Poll() {}

    /** {@return whether it has happened within the limit} */
    static boolean until(BooleanSupplier happened, Duration limit) throws InterruptedException {
        long start = System.nanoTime();
        while (!happened.getAsBoolean()) {
            if (System.nanoTime() - start > limit.toNanos()) {
                return false;
            }
            Thread.sleep(STEP_MILLIS);
        }
        return true;
    }
}
