package io.holdfast.lock.benchmarks.contention;

import io.holdfast.lock.benchmarks.peer.Latch;
import io.holdfast.lock.benchmarks.statistics.Waits;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that locks and unlocks, over and over. A wait counts if it ended within the window. A wait that was still in progress
 * at the end of the window counts with the time until then, so that starvation is visible.
 */
final class Contender implements Runnable {

    private final Contention run;
    private final Latch own;
    private final Latch common;
    private final CountDownLatch start;
    private final Waits waits = new Waits();
    private long acquiredInWindow;
    private long acquired;
    private volatile @Nullable Throwable failure;

    Contender(Contention run, Latch own, Latch common, CountDownLatch start) {
        this.run = run;
        this.own = own;
        this.common = common;
        this.start = start;
    }

    @Override
    public void run() {
        try {
            start.await();
            while (run.phase() == Contention.Phase.APART) {
                own.lock();
                own.unlock();
            }
            while (run.phase() != Contention.Phase.OVER) {
                lockAndUnlock();
                sleep(run.pauseNanos());
            }
        } catch (Throwable e) {
            failure = e;
        }
    }

    private void lockAndUnlock() {
        long asked = System.nanoTime();
        common.lock();
        long got = System.nanoTime();
        Contention.Phase phase = run.phase();
        long seen = run.counter().get();
        sleep(run.holdNanos());
        run.counter().set(seen + 1);
        common.unlock();
        account(phase, asked, got);
    }

    private void account(Contention.Phase phase, long asked, long got) {
        acquired++;
        if (phase == Contention.Phase.WINDOW) {
            acquiredInWindow++;
            waits.record(got - asked);
        } else if (phase == Contention.Phase.OVER) {
            waits.record(Math.min(got, run.windowEnd()) - asked);
        }
    }

    private static void sleep(long nanos) {
        if (nanos > 0) {
            LockSupport.parkNanos(nanos);
        }
    }

    Waits waits() {
        return waits;
    }

    long acquiredInWindow() {
        return acquiredInWindow;
    }

    long acquired() {
        return acquired;
    }

    @Nullable
    Throwable failure() {
        return failure;
    }
}
