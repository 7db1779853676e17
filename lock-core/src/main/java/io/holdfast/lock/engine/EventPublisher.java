package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells listeners. One that throws is logged; one that blocks delays other listeners, but never a lock. */
final class EventPublisher {

    private static final Logger log = LoggerFactory.getLogger(LockEngine.class);

    private final List<LockListener> listeners;
    private final ExecutorService thread;

    EventPublisher(List<LockListener> listeners) {
        this.listeners = List.copyOf(listeners);
        var single = new ThreadPoolExecutor(
                1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Daemons.named("lock-listeners"));
        single.allowCoreThreadTimeOut(true);
        this.thread = single;
    }

    boolean hasListeners() {
        return !listeners.isEmpty();
    }

    void publish(LockEvent event) {
        for (LockListener listener : listeners) {
            guarded(() -> listener.onEvent(event));
        }
    }

    void publishLater(LockEvent event) {
        if (!listeners.isEmpty()) {
            later(() -> publish(event));
        }
    }

    void later(Runnable action) {
        try {
            thread.execute(() -> guarded(action));
        } catch (RejectedExecutionException closed) {
            guarded(action);
        }
    }

    static void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            log.warn("A lock listener failed; the lock is not affected", e);
        }
    }

    void close() {
        thread.shutdown();
    }
}
