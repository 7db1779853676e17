package io.holdfast.lock.testing;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Time during which this machine ran. Virtual machines occasionally stall for several seconds, with every process on them; such a pause
 * counts for next to nothing here, and proves nothing about locks.
 */
public final class RunningTime {

    private static final long STEP_NANOS = 10_000_000;
    private static final long MAX_STEP_NANOS = 20 * STEP_NANOS;
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
            NANOS.addAndGet(Math.min(now - last, MAX_STEP_NANOS));
            last = now;
        }
    }

    /** Only differences are meaningful. */
    public static Duration now() {
        return Duration.ofNanos(NANOS.get());
    }

    /** How long the machine has been stalled, from an arbitrary origin. */
    public static Duration paused() {
        return Duration.ofNanos(System.nanoTime() - NANOS.get());
    }

    /**
     * Runs a verification whose failure proves nothing if a reservation lapses, an entry expires or a lease ends because the machine
     * stalls. In that case it is run again, and fails if that happens every time. So it must not depend on any state left by the previous
     * attempt.
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
     * Whether the machine has stalled for half a second or more.
     *
     * @param before the value of {@link #paused} at the beginning
     */
    public static boolean hasStoodStillSince(Duration before) {
        return paused().minus(before).toMillis() >= 500;
    }

    /** The actions and expectations of a test. */
    @FunctionalInterface
    public interface Verification {
        void run() throws Exception;
    }
}
