package io.holdfast.lock.leader;

import io.holdfast.lock.store.DaemonThreads;
import java.time.Duration;
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

    @Override
    public void execute(Runnable action) {
        threads.execute(action);
    }

    @Override
    public void after(Duration time, Runnable action) {
        var unused = timer.after(time.toNanos(), () -> {
            try {
                threads.execute(action);
            } catch (RejectedExecutionException closed) {
                log.debug("The election is closed; dropped a deferred action", closed);
            }
        });
    }

    /** Web servers warn about threads that outlive their application; a listener may take longer. */
    @Override
    public void close(boolean await) {
        timer.close();
        threads.shutdown();
        try {
            boolean ended = !await || threads.awaitTermination(LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS);
            log.trace("The threads of the closed election have ended, or are not awaited: {}", ended);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
