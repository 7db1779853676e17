package io.holdfast.lock.engine;

import io.holdfast.lock.store.DaemonThreads;
import io.holdfast.lock.store.Pause;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of a client for all its {@code executeAsync} calls, and the limit of waiting calls. All threads end when idle. */
final class AsyncThreads {

    private static final Logger log = LoggerFactory.getLogger(AsyncThreads.class);

    private static final int LAST_WORDS_MILLIS = 500;

    /** Acquiring and releasing threads together are fewer than the store's connections, because others need some too. */
    private static final int ACQUIRING_THREADS = 6;

    private static final int RELEASING_THREADS = 8;

    private final ExecutorService acquiring =
            DaemonThreads.pool(ACQUIRING_THREADS, DaemonThreads.numbered("holdfast-acquire-"));
    private final ExecutorService releasing =
            DaemonThreads.pool(RELEASING_THREADS, DaemonThreads.numbered("holdfast-release-"));
    private final ExecutorService telling =
            DaemonThreads.pool(Integer.MAX_VALUE, DaemonThreads.numbered("holdfast-async-"));
    private final DaemonThreads.Timer timer = DaemonThreads.timer();

    /** Instead of the timer, if time does not pass by itself. */
    private final ExecutorService pausing = DaemonThreads.pool(1, DaemonThreads.named("holdfast-timeouts"));

    private final Executor working;
    private final Semaphore places;
    private final Pause pause;

    /**
     * @param executor begins the work; null for threads of the client
     * @param mostWaiting how many may wait
     * @param pause how time passes; if it is not the system's time, a thread calls it
     */
    AsyncThreads(@Nullable Executor executor, int mostWaiting, Pause pause) {
        this.working = executor == null ? telling : executor;
        this.places = new Semaphore(mostWaiting);
        this.pause = pause;
    }

    /** A few threads that acquire locks. They call the store and do nothing else. */
    Executor acquiring() {
        return acquiring;
    }

    /** A few threads that release locks, and do nothing else. */
    Executor releasing() {
        return releasing;
    }

    /** Begin the work. */
    Executor working() {
        return working;
    }

    /** Complete results. */
    Executor telling() {
        return telling;
    }

    /** Whether one more may wait. If so, it has to {@link #leave} once. */
    boolean tryEnter() {
        return places.tryAcquire();
    }

    void leave() {
        places.release();
    }

    /** A timeout that is not set. */
    Timeout timeout(Runnable action) {
        return new Timeout(action);
    }

    /** Runs its action when some time has passed, or before. */
    final class Timeout {

        private final Runnable action;
        private @Nullable Runnable set;
        private long round;
        private long at;

        private Timeout(Runnable action) {
            this.action = action;
        }

        /**
         * Sets the timeout, unless it is already set to run within that time. A timeout that has begun to run no longer counts as
         * set.
         */
        synchronized void within(long nanos) {
            long now = System.nanoTime();
            if (nanos == Long.MAX_VALUE || (set != null && at - (now + nanos) <= 0)) {
                return;
            }
            cancel();
            at = now + nanos;
            long mine = ++round;
            set = pause == Pause.PARK ? timer.after(nanos, () -> fire(mine)) : pausing(nanos, mine);
        }

        private Runnable pausing(long nanos, long mine) {
            Future<?> run = pausing.submit(() -> pauseAndRun(nanos, mine));
            return () -> run.cancel(false);
        }

        /** A run that began before the timeout was set again does not clear the new one. */
        private void fire(long mine) {
            synchronized (this) {
                if (round == mine) {
                    set = null;
                }
            }
            action.run();
        }

        private void pauseAndRun(long nanos, long mine) {
            try {
                pause.pause(nanos);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            fire(mine);
        }

        synchronized void cancel() {
            if (set != null) {
                set.run();
                set = null;
            }
        }
    }

    /**
     * The threads accept no more work. They are awaited, because web servers warn of threads that outlive their application; a
     * thread that runs a user's work may take longer.
     */
    void close() {
        acquiring.shutdown();
        releasing.shutdown();
        telling.shutdown();
        pausing.shutdown();
        timer.close();
        try {
            boolean ended = acquiring.awaitTermination(LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS)
                    && releasing.awaitTermination(LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS)
                    && telling.awaitTermination(LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS);
            log.trace("The threads of the closed client have ended: {}", ended);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
