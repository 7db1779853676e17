package io.holdfast.lock.lease;

import io.holdfast.lock.store.DaemonThreads;
import java.util.concurrent.locks.LockSupport;

/** The thread that tells the watchdog's time. */
final class ClockThread {

    private final Thread thread;
    private volatile boolean started;

    ClockThread(Runnable loop) {
        this.thread = DaemonThreads.create(loop, "holdfast-clock");
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

    void wake() {
        LockSupport.unpark(thread);
    }

    synchronized void stop() {
        started = true;
        LockSupport.unpark(thread);
    }
}
