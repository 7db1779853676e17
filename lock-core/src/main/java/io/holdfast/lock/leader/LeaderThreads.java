package io.holdfast.lock.leader;

import io.holdfast.lock.store.DaemonThreads;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of an election; there are none while there is nothing to do. */
final class LeaderThreads implements Background {

    private static final Logger log = LoggerFactory.getLogger(Leadership.class);

    private static final int LAST_WORDS_MILLIS = 500;

    /** At most one for each role, because its listeners are called one at a time, and some for deferred actions. */
    private final ExecutorService threads =
            DaemonThreads.pool(Integer.MAX_VALUE, DaemonThreads.numbered("holdfast-leader-"));

    private final DaemonThreads.Timer timer = DaemonThreads.timer();
    private final Set<Thread> running = ConcurrentHashMap.newKeySet();

    @Override
    public void execute(Runnable action) {
        threads.execute(() -> {
            running.add(Thread.currentThread());
            try {
                action.run();
            } finally {
                running.remove(Thread.currentThread());
            }
        });
    }

    @Override
    public boolean isRunningHere() {
        return running.contains(Thread.currentThread());
    }

    @Override
    public void after(Duration time, Runnable action) {
        var unused = timer.after(time.toNanos(), () -> {
            try {
                execute(action);
            } catch (RejectedExecutionException closed) {
                log.debug("The election is closed; dropped a deferred action", closed);
            }
        });
    }

    /**
     * Waits for the threads to end, because web servers warn about threads that outlive their application; a listener may take
     * longer, and one that closes the election is not awaited.
     */
    @Override
    public void close() {
        timer.close();
        threads.shutdown();
        if (isRunningHere()) {
            return;
        }
        try {
            boolean ended = threads.awaitTermination(LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS);
            log.trace("The threads of the closed election have ended: {}", ended);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
