package io.holdfast.lock.lease;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** The watchdog's two daemon threads: one that tells the time, one that talks to the store. */
final class KeeperThreads {

    private final Thread clock;
    private final Thread renewal;
    private final boolean real;
    private final AtomicBoolean started = new AtomicBoolean();

    KeeperThreads(Runnable clockLoop, Runnable renewalLoop) {
        this(clockLoop, renewalLoop, true);
    }

    private KeeperThreads(Runnable clockLoop, Runnable renewalLoop, boolean real) {
        this.clock = daemon(clockLoop, "lock-clock");
        this.renewal = daemon(renewalLoop, "lock-renewal");
        this.real = real;
    }

    static KeeperThreads none() {
        return new KeeperThreads(() -> {}, () -> {}, false);
    }

    void ensureStarted() {
        if (real && !started.get()) {
            start();
        }
    }

    /** A thread that could not be started, for want of memory, is started by the next lock. */
    private synchronized void start() {
        for (Thread thread : List.of(clock, renewal)) {
            if (thread.getState() == Thread.State.NEW) {
                thread.start();
            }
        }
        started.set(true);
    }

    void wakeClock() {
        LockSupport.unpark(clock);
    }

    void stop() {
        started.set(true);
        LockSupport.unpark(clock);
        renewal.interrupt();
    }

    private static Thread daemon(Runnable loop, String name) {
        Thread thread = new Thread(loop, name);
        thread.setDaemon(true);
        return thread;
    }
}
