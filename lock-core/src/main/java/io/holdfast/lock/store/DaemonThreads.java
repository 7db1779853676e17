package io.holdfast.lock.store;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * All threads of this library are made here. They are daemons, so that a forgotten client does not keep the JVM alive, and
 * inherit no {@link InheritableThreadLocal}: otherwise every task of a pooled thread would see those of whichever caller
 * started it. They keep the context class loader, which a thread that inherits nothing loses from Java 19 on.
 */
public final class DaemonThreads {

    private static final int IDLE_SECONDS = 10;

    private DaemonThreads() {}

    /**
     * {@return a thread that was not started}
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
     * {@return an executor of that many threads, which end when idle; what they have not come to waits in a queue}
     *
     * @param threads how many, 1 or more
     * @param factory makes them
     */
    public static ExecutorService pool(int threads, ThreadFactory factory) {
        var pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * {@return a factory of threads with numbers from 1 on}
     *
     * @param prefix of the names, before the number
     */
    public static ThreadFactory numbered(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return work -> create(work, prefix + number.incrementAndGet());
    }
}
