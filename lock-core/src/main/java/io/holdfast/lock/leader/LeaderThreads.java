package io.holdfast.lock.leader;

import io.holdfast.lock.threads.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;

/** The threads of an election; there are none while there is nothing to do. */
class LeaderThreads implements Executor {

    /** At most one for each role, because its listeners are called one at a time, plus some for deferred actions. */
    private final ExecutorService threads = DaemonThreads.pool(Integer.MAX_VALUE, "holdfast-leader-");

    private final DaemonThreads.Timer timer = DaemonThreads.timer();

    @Override
    public void execute(Runnable action) {
        threads.execute(action);
    }

    /** Runs the action after the given time, unless this has been closed in the meantime. */
    void after(Duration time, Runnable action) {
        var unused = timer.after(time.toNanos(), () -> DaemonThreads.executeOrRun(threads, action));
    }

    /** Accepts no more actions, and waits for the last ones for at most the given time. */
    void close(Duration atMost) {
        timer.close();
        DaemonThreads.end(atMost, threads);
    }
}
