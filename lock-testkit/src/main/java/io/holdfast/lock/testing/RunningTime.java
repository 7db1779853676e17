package io.holdfast.lock.testing;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Time in which this machine ran. Virtual machines stand still now and then, for seconds and with all that is on them;
 * such a pause counts as next to nothing here, and says nothing about locks.
 */
public final class RunningTime {

    private static final long STEP_NANOS = 10_000_000;
    private static final long LONGEST_STEP_NANOS = 20 * STEP_NANOS;
    private static final int ATTEMPTS = 3;
    private static final AtomicLong NANOS = new AtomicLong();

    static {
        Thread thread = new Thread(RunningTime::count, "running-time");
        thread.setDaemon(true);
        thread.start();
    }

    private RunningTime() {}

    private static void count() {
        long last = System.nanoTime();
        while (true) {
            LockSupport.parkNanos(STEP_NANOS);
            long now = System.nanoTime();
            NANOS.addAndGet(Math.min(now - last, LONGEST_STEP_NANOS));
            last = now;
        }
    }

    /** Only differences mean anything. */
    public static Duration now() {
        return Duration.ofNanos(NANOS.get());
    }

    /** How long the machine has stood still, from an arbitrary origin. */
    public static Duration paused() {
        return Duration.ofNanos(System.nanoTime() - NANOS.get());
    }

    /**
     * Runs what shows nothing if a reservation lapses, an entry dies or a lease ends because the machine stands still. Then
     * it is run again, and fails if that happens every time. So it has to begin afresh, whatever is left of the last time.
     */
    public static void withoutPause(Verification verification) throws Exception {
        for (int attempt = 1; ; attempt++) {
            Duration before = paused();
            try {
                verification.run();
                return;
            } catch (Exception | AssertionError e) {
                if (!hasStoodStillSince(before) || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /**
     * Whether the machine has stood still for half a second and more.
     *
     * @param before what {@link #paused} was at the beginning
     */
    public static boolean hasStoodStillSince(Duration before) {
        return paused().minus(before).toMillis() >= 500;
    }

    /** What a test does and expects. */
    @FunctionalInterface
    public interface Verification {
        void run() throws Exception;
    }
}
