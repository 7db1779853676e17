package io.holdfast.lock.threads;

import io.holdfast.lock.api.LockKey;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates all threads of this library, its thread pools, and its timers.
 *
 * <p>All threads are daemon threads, so that a client that was not closed does not keep the JVM alive, and inherit no {@link
 * InheritableThreadLocal}: otherwise every task of a pooled thread would see the values of the caller that started the thread. They keep
 * the context class loader, which threads without inheritance would lose on Java 19 and later.
 *
 * <p><b>No thread is missing for good.</b> If a container, a user or the machine has no room for another thread, {@link Thread#start}
 * throws an {@link OutOfMemoryError}, even if there is room again a moment later. A thread created here does not throw it: the timer thread
 * retries every {@value #RETRY_MILLIS} ms until the thread starts. So code that starts a thread, or hands work to a pool, need not handle
 * that case. The timer thread exists as long as there is an open {@link Timer}, or any other of these threads. Each client has a timer,
 * created before its other threads; if there is no room for the timer thread then, the client cannot be created, and nothing is left half
 * done.
 *
 * <p><b>Callers do not park</b> when they start a thread or hand over work: there is only a monitor, held for a moment. Reactor's threads
 * complete stages, and must not park.
 */
public final class DaemonThreads {

    private static final Logger log = LoggerFactory.getLogger(DaemonThreads.class);

    private static final int IDLE_SECONDS = 10;
    private static final int RETRY_MILLIS = 200;
    private static final int RETRIES = 10;

    /** Whether there is no room for a thread of that name, for tests. */
    private static volatile Predicate<String> withoutRoom = name -> false;

    private static final TimerThread TIMER_THREAD = new TimerThread();

    private DaemonThreads() {}

    /**
     * {@return a new thread, not started}
     *
     * @param work what it does
     * @param name its name, which begins with {@code holdfast-}
     */
    public static Thread create(Runnable work, String name) {
        return new Started(work, name);
    }

    /**
     * {@return an executor with that many threads, which end when idle, and an unbounded queue of tasks}
     *
     * @param threads the maximum number of threads, 1 or more
     * @param name the name of its threads; if it ends with a hyphen, their numbers follow, starting with 1
     */
    public static ExecutorService pool(int threads, String name) {
        return pool(threads, name, Duration.ofSeconds(IDLE_SECONDS));
    }

    /**
     * {@return the same, with a different idle time}
     *
     * @param idle how long a thread stays alive without a task
     */
    public static ExecutorService pool(int threads, String name, Duration idle) {
        return new Pool(threads, name, idle.toNanos());
    }

    /**
     * Shuts down thread pools, and waits until they have completed their tasks. A thread of one of these pools, on which a listener or
     * other code of the user closes the client, does not wait: its own task would have to end first. An interrupt during the wait ends the
     * wait; an earlier one does not. Either way, the interrupt flag is preserved.
     *
     * @return whether all of their threads have ended in time
     */
    public static boolean end(Duration atMost, ExecutorService... pools) {
        boolean interrupted = Thread.interrupted();
        List<ExecutorService> all = Arrays.asList(pools);
        boolean ownEnd = Thread.currentThread() instanceof Started here && all.contains(here.pool);
        long end = System.nanoTime() + (ownEnd ? 0 : atMost.toNanos());
        try {
            boolean ended = true;
            all.forEach(ExecutorService::shutdown);
            for (ExecutorService pool : pools) {
                ended &= pool.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
            return ended;
        } catch (InterruptedException e) {
            interrupted = true;
            return false;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * {@return a timer; all timers share one thread}
     *
     * @throws IllegalStateException if there is no room for the timer thread, even after {@value #RETRIES} retries
     */
    public static Timer timer() {
        for (int i = 0; !TIMER_THREAD.open(); i++) {
            if (i == RETRIES) {
                throw new IllegalStateException(
                        "Cannot start thread holdfast-timer, which the lock client needs: the thread limit of this"
                                + " user, container or machine has been reached. Raise the limit, or use fewer threads.");
            }
            Uninterrupted.await(new CountDownLatch(1), TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS));
        }
        return new Timer();
    }

    /**
     * Runs a task that must not end its thread, whatever it throws, including checked exceptions, which Kotlin code may throw anywhere.
     * What it throws is logged, if possible.
     *
     * @param task the task
     */
    public static void runGuarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            try {
                log.error(
                        "Unexpected error in thread {}; continuing",
                        LockKey.printable(Thread.currentThread().getName()),
                        e);
            } catch (Throwable notLogged) {
                // no memory left, or an appender that fails
            }
        }
    }

    /**
     * Runs a task on an executor; on the current thread if the executor does not accept it, whatever the reason: it is closed, has no room
     * or no thread, or a guard against blocking calls interferes. For tasks that somebody is waiting for.
     *
     * @param executor runs the task
     * @param task may run twice if the executor throws after it has accepted the task
     */
    public static void executeOrRun(Executor executor, Runnable task) {
        try {
            executor.execute(task);
        } catch (Throwable refusal) {
            log.debug("An executor did not accept a task; running it on the calling thread", refusal);
            task.run();
        }
    }

    /** Waits on a monitor that the caller holds; called in a loop. */
    @SuppressWarnings("WaitNotInLoop")
    private static void pause(Object monitor, long nanos) {
        try {
            TimeUnit.NANOSECONDS.timedWait(monitor, nanos);
        } catch (InterruptedException e) {
            log.debug(
                    "Ignored an interrupt of thread {}", Thread.currentThread().getName(), e);
        }
    }

    /** A thread whose start does not fail. */
    private static final class Started extends Thread {

        /** False if a thread pool of the JDK has started it, which bypasses {@link #start}. */
        private volatile boolean counted;

        /** The pool whose tasks it runs, if any; set before it starts. */
        private @Nullable Pool pool;

        private Started(Runnable work, String name) {
            super(null, work, name, 0, false);
            setContextClassLoader(Thread.currentThread().getContextClassLoader());
            setDaemon(true);
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the monitor of the timer thread guards it
        public void start() {
            if (!TIMER_THREAD.start(this)) {
                log.warn(
                        "Cannot start thread {}: the thread limit of this user, container or machine has been reached. Retrying"
                                + " every {} ms; until it starts, its work is delayed, and locks may be lost. Raise the limit, or"
                                + " use fewer threads.",
                        getName(),
                        RETRY_MILLIS);
            }
        }

        private boolean isStarted() {
            try {
                if (!withoutRoom.test(getName())) {
                    super.start();
                    return true;
                }
            } catch (OutOfMemoryError noThread) {
                log.debug("Cannot start thread {} now", getName(), noThread);
            }
            return false;
        }

        @Override
        public void run() {
            try {
                super.run();
            } finally {
                if (counted) {
                    TIMER_THREAD.ended();
                }
            }
        }
    }

    /** Runs actions later, on a thread that all clients in this JVM share. */
    public static final class Timer implements AutoCloseable {

        private boolean closed;

        private Timer() {}

        /**
         * Runs the action once the time has passed, unless this timer is closed before that.
         *
         * @param nanos how long to wait, in nanoseconds
         * @param action must not block
         * @return cancels the action, unless it has begun
         */
        public Runnable after(long nanos, Runnable action) {
            synchronized (TIMER_THREAD) {
                return closed ? () -> {} : TIMER_THREAD.after(nanos, action, this);
            }
        }

        /** Drops all actions of this timer. */
        @Override
        public void close() {
            synchronized (TIMER_THREAD) {
                TIMER_THREAD.timers -= closed ? 0 : 1;
                TIMER_THREAD.actions.removeIf(action -> action.owner == this);
                TIMER_THREAD.notifyAll();
                closed = true;
            }
        }
    }

    /**
     * The timer thread. Its monitor guards the actions that are to run later, including retries of threads that could not be started, and
     * the numbers of open timers and of threads, including those not started yet. The thread ends in the step that finds nothing left to
     * wait for, and is started again with the next thread or timer, both under the monitor. So none of them is without it.
     */
    private static final class TimerThread implements Runnable {

        private static final String NAME = "holdfast-timer";

        private record Action(
                long at,
                long number,
                Runnable run,
                @Nullable Timer owner,
                @Nullable ClassLoader loader) {}

        private final long origin = System.nanoTime();
        /** By the time since the origin, which does not wrap, whereas {@link System#nanoTime} may. */
        private final TreeSet<Action> actions = new TreeSet<>(
                Comparator.<Action>comparingLong(each -> each.at - origin).thenComparingLong(Action::number));

        private long numbers;
        private int threads;
        private int timers;
        private int delayed;
        private @Nullable Thread thread;

        /** Returns false if it could not be started, and is the only such thread. */
        synchronized boolean start(Started starting) {
            if (starting.counted || starting.getState() != Thread.State.NEW) {
                throw new IllegalThreadStateException("Thread " + starting.getName() + " has already been started");
            }
            threads++;
            starting.counted = true;
            ensureRunning();
            if (starting.isStarted()) {
                return true;
            }
            retryLater(starting);
            return ++delayed > 1;
        }

        private void retryLater(Started starting) {
            var unused = after(TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS), () -> retry(starting), null);
        }

        private synchronized void retry(Started starting) {
            if (starting.isStarted()) {
                delayed--;
            } else {
                retryLater(starting);
            }
        }

        synchronized void ended() {
            threads--;
            if (!actions.isEmpty()) {
                ensureRunning();
            }
            notifyAll();
        }

        private synchronized Runnable after(long nanos, Runnable run, @Nullable Timer owner) {
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            Action added = new Action(System.nanoTime() + nanos, numbers++, run, owner, loader);
            actions.add(added);
            ensureRunning();
            if (actions.first().equals(added)) {
                notifyAll();
            }
            return () -> cancel(added);
        }

        private synchronized void cancel(Action action) {
            actions.remove(action);
        }

        /** Returns false if there is no room for the thread. */
        synchronized boolean open() {
            ensureRunning();
            timers += thread == null ? 0 : 1;
            return thread != null;
        }

        /**
         * The thread may outlive the client that starts it, and the application of that client. So it inherits neither the context class
         * loader nor, up to Java 23, the access control context of its creator: either would keep the class loaders of the callers.
         */
        @SuppressWarnings("removal")
        private void ensureRunning() {
            if (thread == null) {
                Started starting =
                        AccessController.doPrivileged((PrivilegedAction<Started>) () -> new Started(this, NAME));
                starting.setContextClassLoader(DaemonThreads.class.getClassLoader());
                thread = starting.isStarted() ? starting : null; // the next caller tries again
            }
        }

        @Override
        public void run() {
            Thread here = Thread.currentThread();
            for (Action due = next(); due != null; due = next()) {
                here.setContextClassLoader(due.loader); // for the threads that the action starts
                runGuarded(due.run);
                here.setContextClassLoader(DaemonThreads.class.getClassLoader());
                due = null; // this frame would keep it during the next wait
            }
        }

        private synchronized @Nullable Action next() {
            while (threads > 0 || timers > 0 || !actions.isEmpty()) {
                Action first = actions.isEmpty() ? null : actions.first();
                long left = first == null ? Long.MAX_VALUE : first.at - System.nanoTime();
                if (first != null && left <= 0) {
                    actions.remove(first);
                    return first;
                }
                pause(this, left);
            }
            thread = null;
            return null;
        }
    }

    /**
     * A thread pool. It replaces the JDK's pools, whose threads may fail to start, and whose locks park callers.
     *
     * <p>No task is lost: it is queued in the step that wakes or starts a thread for it, or finds that all threads exist; and a thread ends
     * only in a step that finds the queue empty.
     */
    private static final class Pool extends AbstractExecutorService {

        private final int most;
        private final String name;
        private final long idleNanos;
        private final CountDownLatch terminated = new CountDownLatch(1);
        private final Deque<Runnable> tasks = new ArrayDeque<>();
        private int threads;
        private int started;
        private int idle;
        private boolean closed;

        Pool(int most, String name, long idleNanos) {
            this.most = most;
            this.name = name;
            this.idleNanos = idleNanos;
        }

        @Override
        public synchronized void execute(Runnable task) {
            if (closed) {
                throw new RejectedExecutionException("This thread pool is closed");
            }
            if (tasks.size() < idle) {
                notify();
            } else if (threads < most) {
                Started next = new Started(this::work, name.endsWith("-") ? name + ++started : name);
                next.pool = this;
                next.start();
                threads++;
            }
            tasks.add(task);
        }

        private void work() {
            for (Runnable task = next(); task != null; task = next()) {
                runGuarded(task);
            }
        }

        private synchronized @Nullable Runnable next() {
            long until = System.nanoTime() + idleNanos;
            for (long left = idleNanos; tasks.isEmpty() && !closed && left > 0; left = until - System.nanoTime()) {
                idle++;
                pause(this, left);
                idle--;
            }
            Thread.interrupted(); // one task's flag is not for the next one
            Runnable task = tasks.poll();
            if (task == null) {
                threads--;
                endIfDone();
            }
            return task;
        }

        private void endIfDone() {
            if (closed && threads == 0) {
                terminated.countDown();
            }
        }

        @Override
        public synchronized void shutdown() {
            closed = true;
            notifyAll();
            endIfDone();
        }

        /** Ends no task, neither a running one nor one that waits. */
        @Override
        public synchronized List<Runnable> shutdownNow() {
            shutdown();
            return List.of();
        }

        @Override
        public synchronized boolean isShutdown() {
            return closed;
        }

        @Override
        public boolean isTerminated() {
            return terminated.getCount() == 0;
        }

        @Override
        public boolean awaitTermination(long time, TimeUnit unit) throws InterruptedException {
            return terminated.await(time, unit);
        }
    }
}
