package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockStoreException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The threads that one server may occupy. Callers go on once a ballot is decided, so calls to a server that hangs would pile up,
 * each with a thread of its own, for a whole command timeout. At most {@value #MOST} calls are in progress; {@value #LINE} more
 * wait, in order, for one of them to end; further calls fail immediately.
 */
final class Threads {

    static final int MOST = 64;
    static final int LINE = 1_000;

    private record Task(Runnable run, Consumer<LockStoreException> refused) {}

    private final String name;
    private final Executor threads;
    private final Deque<Task> line = new ArrayDeque<>();
    private int running;

    Threads(String name, Executor threads) {
        this.name = name;
        this.threads = threads;
    }

    /**
     * Runs it on a thread, as soon as there is one.
     *
     * @param run does not throw
     * @param refused is notified that it will never run
     */
    void execute(Runnable run, Consumer<LockStoreException> refused) {
        Task task = new Task(run, refused);
        switch (admit(task)) {
            case NOW -> start(task);
            case LATER -> {}
            case NEVER ->
                refused.accept(new LockStoreException(
                        name + " is too slow: " + LINE + " calls are already waiting for it", null, false));
        }
    }

    private enum Admission {
        NOW,
        LATER,
        NEVER
    }

    private synchronized Admission admit(Task task) {
        if (running < MOST) {
            running++;
            return Admission.NOW;
        }
        if (line.size() == LINE) {
            return Admission.NEVER;
        }
        line.add(task);
        return Admission.LATER;
    }

    private void start(Task first) {
        for (Task task = first; task != null; task = next()) {
            Task each = task;
            try {
                threads.execute(() -> {
                    each.run().run();
                    Task next = next();
                    if (next != null) {
                        start(next);
                    }
                });
                return;
            } catch (RejectedExecutionException e) {
                each.refused().accept(new LockStoreException("The quorum store is closed", e, false));
            }
        }
    }

    /** A call that ends makes room for the first one in line. */
    private synchronized @Nullable Task next() {
        Task next = line.poll();
        if (next == null) {
            running--;
        }
        return next;
    }
}
