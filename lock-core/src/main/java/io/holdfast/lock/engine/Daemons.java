package io.holdfast.lock.engine;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Named daemon threads: a forgotten client does not keep the JVM alive. */
final class Daemons {

    private Daemons() {}

    static ThreadFactory named(String name) {
        return work -> start(work, name);
    }

    static ThreadFactory numbered(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return work -> start(work, prefix + number.incrementAndGet());
    }

    private static Thread start(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }
}
