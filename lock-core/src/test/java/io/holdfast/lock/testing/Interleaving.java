package io.holdfast.lock.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A controlled scheduler: runs tasks on threads of their own, one at a time. Each runs up to some {@link #step}, and which
 * one goes on from there is drawn. The same seed gives the same interleaving, as long as the tasks draw from {@link #draw}
 * and nowhere else.
 *
 * <p>A task that is stopped at a step must not hold a monitor that another task enters; {@code indivisible} says where it would.
 */
public final class Interleaving {

    private static final int STUCK_SECONDS = 60;

    private final Random random;
    private final BooleanSupplier indivisible;
    private final int rarity;
    private final List<Task> tasks = new ArrayList<>();
    private final Semaphore ended = new Semaphore(0);
    private final StringBuilder trace = new StringBuilder();
    private volatile @Nullable Task running;
    private volatile @Nullable Throwable failure;

    public Interleaving(long seed, BooleanSupplier indivisible) {
        this.random = new Random(seed);
        this.indivisible = indivisible;
        this.rarity = 1 + draw(4);
    }

    /** A number from zero to below the bound. */
    public int draw(int bound) {
        return random.nextInt(bound);
    }

    public void add(String name, Runnable task) {
        tasks.add(new Task(name, task));
    }

    /** Runs all tasks to their ends. */
    public void run() {
        tasks.forEach(task -> task.thread.start());
        goOn(anyTask());
        boolean all;
        try {
            all = ended.tryAcquire(STUCK_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        Throwable cause = all ? failure : new IllegalStateException("A task is blocked");
        running = null;
        if (cause != null) {
            throw new AssertionError(trace.toString(), cause);
        }
    }

    /** What happened so far: for messages. */
    public String trace() {
        return trace.toString();
    }

    /** Another task may go on here. Does nothing on threads that run none. */
    public void step(String what) {
        Task current = running;
        if (current == null || current.thread != Thread.currentThread() || indivisible.getAsBoolean()) {
            return;
        }
        if (draw(rarity) == 0) {
            Task next = anyTask();
            if (next != current) {
                note(current, "before " + what);
                goOn(next);
                current.turn.acquireUninterruptibly();
            }
        }
    }

    /** A step, and what it found. */
    public <T> T step(String what, Supplier<T> work) {
        step(what);
        T result = work.get();
        Task current = running;
        if (current != null && current.thread == Thread.currentThread()) {
            note(current, what + " -> " + result);
        }
        step("the answer to " + what);
        return result;
    }

    private Task anyTask() {
        return tasks.get(draw(tasks.size()));
    }

    private void goOn(Task next) {
        running = next;
        next.turn.release();
    }

    private void note(Task task, String what) {
        trace.append('\n').append(task.name).append(": ").append(what);
    }

    private final class Task {

        private final String name;
        private final Thread thread;
        private final Semaphore turn = new Semaphore(0);

        Task(String name, Runnable work) {
            this.name = name;
            this.thread = new Thread(() -> run(work), name);
            thread.setDaemon(true);
        }

        private void run(Runnable work) {
            turn.acquireUninterruptibly();
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                failure = failure == null ? e : failure;
            }
            note(this, "ends");
            tasks.remove(this);
            if (tasks.isEmpty()) {
                ended.release();
            } else {
                goOn(anyTask());
            }
        }
    }
}
