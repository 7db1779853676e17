package io.holdfast.lock.lease;

import io.holdfast.lock.store.DaemonThreads;
import io.holdfast.lock.store.Ticker;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of the watchdog: it sleeps until the first alarm.
 *
 * <p>No alarm is missed: a thread that adds one adds it to the set first, and then compares it with the planned wake-up; this
 * thread publishes its plan first, and then reads the set again before it parks. Both are volatile accesses, so at least one
 * sees the other. An alarm that is added before the first plan is seen too, since this thread starts by reading the set.
 */
final class ClockThread {

    private static final Logger log = LoggerFactory.getLogger(ClockThread.class);
    private static final long AFTER_ERROR_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Thread thread = DaemonThreads.create(this::run, "holdfast-clock");
    private final Alarms<?> alarms;
    private final Ticker ticker;
    private final LongSupplier tick;
    private volatile long plannedWake;
    private volatile boolean started;
    private volatile boolean stopped;

    /** Does not start it. The tick handles the alarms that are due, and returns when the next one is. */
    ClockThread(Alarms<?> alarms, Ticker ticker, LongSupplier tick) {
        this.alarms = alarms;
        this.ticker = ticker;
        this.tick = tick;
        this.plannedWake = ticker.nanos();
    }

    void ensureStarted() {
        if (!started) {
            start();
        }
    }

    private synchronized void start() {
        if (!started) {
            thread.start();
            started = true;
        }
    }

    /** An alarm was added. */
    void wakeFor(long at) {
        if (at - plannedWake < 0) {
            LockSupport.unpark(thread);
        }
    }

    synchronized void stop() {
        started = true;
        stopped = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!stopped) {
            long wake = tickGuarded();
            plannedWake = wake;
            if (alarms.firstAt(wake) - wake >= 0) {
                LockSupport.parkNanos(this, wake - ticker.nanos());
                Thread.interrupted(); // a stray one would end every pause at once
            }
        }
    }

    /** The clock continues after any error: only it notifies other holders of their losses. */
    private long tickGuarded() {
        try {
            return tick.getAsLong();
        } catch (RuntimeException | Error e) {
            log.error("Unexpected error in thread holdfast-clock; continuing", e);
            return ticker.nanos() + AFTER_ERROR_NANOS;
        }
    }
}
