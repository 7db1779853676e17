package io.holdfast.lock.lease;

import io.holdfast.lock.store.DaemonThreads;
import io.holdfast.lock.store.Ticker;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that tells the watchdog's time: it sleeps until the first alarm.
 *
 * <p>No alarm is missed: whoever adds one first adds it to the set and then compares it with the time that this thread plans
 * to wake at; this thread first publishes that plan and then looks at the set again before it parks. Both are volatile
 * accesses, so at least one sees the other. Whoever adds an alarm before the first plan is published is seen too, since the
 * thread begins with a look at the set.
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

    /** Does not start it. The tick handles the alarms that are due, and tells until when there is nothing to do. */
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

    /** A thread that could not be started, for want of memory, is started by the next lock. */
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

    /** Whatever goes wrong, the clock goes on: it is all that tells other holders of their losses. */
    private long tickGuarded() {
        try {
            return tick.getAsLong();
        } catch (RuntimeException | Error e) {
            log.error("Unexpected error on holdfast-clock; continuing", e);
            return ticker.nanos() + AFTER_ERROR_NANOS;
        }
    }
}
