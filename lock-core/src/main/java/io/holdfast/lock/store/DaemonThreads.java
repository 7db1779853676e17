package io.holdfast.lock.store;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Creates all threads of this library. They are daemon threads, so that a client that was not closed does not keep the JVM alive, and
 * inherit no {@link InheritableThreadLocal}: otherwise every task of a pooled thread would see the values of the caller that started the
 * thread. They keep the context class loader, which threads without inheritance lose from Java 19 on.
 */
public final class DaemonThreads {

    private static final int IDLE_SECONDS = 10;

    private DaemonThreads() {}

    /**
     * {@return a new thread, not started}
     *
     * @param work what it does
     * @param name its name, which begins with {@code holdfast-}
     */
    public static Thread create(Runnable work, String name) {
        Thread thread = new Thread(null, work, name, 0, false);
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        thread.setDaemon(true);
        return thread;
    }

    /**
     * {@return a factory of threads that all have the same name}
     *
     * @param name as in {@link #create}
     */
    public static ThreadFactory named(String name) {
        return work -> create(work, name);
    }

    /**
     * {@return an executor with that many threads, which end when idle, and an unbounded queue of tasks}
     *
     * @param threads how many, 1 or more
     * @param factory creates them
     */
    public static ExecutorService pool(int threads, ThreadFactory factory) {
        var pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * {@return a factory of threads whose names end with a number, starting with 1}
     *
     * @param prefix the name before the number
     */
    public static ThreadFactory numbered(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return work -> create(work, prefix + number.incrementAndGet());
    }
}
