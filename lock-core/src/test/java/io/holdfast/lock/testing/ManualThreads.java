package io.holdfast.lock.testing;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/** A pool whose threads are played by the test. */
public final class ManualThreads extends AbstractExecutorService {

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean closed;

    @Override
    public synchronized void execute(Runnable task) {
        tasks.add(task);
    }

    /** Runs all tasks on this thread. */
    public void run() {
        for (Runnable next = next(); next != null; next = next()) {
            next.run();
        }
    }

    private synchronized Runnable next() {
        return tasks.poll();
    }

    @Override
    public synchronized void shutdown() {
        closed = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown();
        return List.of();
    }

    @Override
    public synchronized boolean isShutdown() {
        return closed;
    }

    @Override
    public boolean isTerminated() {
        return isShutdown();
    }

    @Override
    public boolean awaitTermination(long time, TimeUnit unit) {
        return true;
    }
}
