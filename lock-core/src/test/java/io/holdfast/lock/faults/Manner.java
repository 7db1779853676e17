package io.holdfast.lock.faults;

import java.util.Random;
import java.util.concurrent.TimeUnit;

/** How long a thread holds its locks, and how long it waits before the next one; in nanoseconds. */
enum Manner {
    /** Often longer than a lease. */
    LINGERING {
        @Override
        long hold(Random random) {
            return (long) (random.nextDouble() * millis(6000));
        }

        @Override
        long pause(Random random) {
            return brief(random);
        }
    },
    /** Mostly no time, sometimes some. */
    CHANGING {
        @Override
        long hold(Random random) {
            int percent = random.nextInt(100);
            if (percent < 75) {
                return 0;
            }
            return millis(random.nextInt(percent < 95 ? 10 : 300));
        }

        @Override
        long pause(Random random) {
            return brief(random);
        }
    },
    /** In bursts, so that there are many grants: most of those of two threads at a time pass from one to the other. */
    BRIEF {
        @Override
        long hold(Random random) {
            return 0;
        }

        @Override
        long pause(Random random) {
            return millis(random.nextInt(random.nextInt(100) == 0 ? 2000 : 3));
        }
    };

    private static final int MAX_PAUSE_MILLIS = 200;

    abstract long hold(Random random);

    abstract long pause(Random random);

    /** Long enough that processes with a dozen threads each leave a machine of two cores time to start others. */
    private static long brief(Random random) {
        return millis(random.nextInt(MAX_PAUSE_MILLIS));
    }

    private static long millis(int count) {
        return TimeUnit.MILLISECONDS.toNanos(count);
    }
}
