package io.holdfast.lock.engine.client;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.store.DaemonThreads;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies listeners. Exceptions are logged. A listener that blocks delays the notifying thread: the caller, or the thread for
 * losses; never the watchdog.
 */
public final class EventPublisher {

    private static final Logger log = LoggerFactory.getLogger(EventPublisher.class);

    private static final int LAST_WORDS_SECONDS = 2;

    private final List<Supplier<List<LockListener>>> sources;
    private final ExecutorService thread;
    private volatile @Nullable Thread listening;
    private volatile @Nullable List<LockListener> listeners;

    /**
     * Creates an instance.
     *
     * @param sources yield the listeners; asked at the first event
     */
    public EventPublisher(List<Supplier<List<LockListener>>> sources) {
        this.sources = List.copyOf(sources);
        this.thread = DaemonThreads.pool(1, DaemonThreads.named("holdfast-listeners"));
    }

    /** Whether an event would be received. */
    public boolean hasListeners() {
        List<LockListener> known = listeners;
        return known == null ? !sources.isEmpty() : isAnyListening(known);
    }

    private static boolean isAnyListening(List<LockListener> known) {
        for (LockListener each : known) {
            if (isListening(each)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isListening(LockListener listener) {
        try {
            return listener.isListening();
        } catch (RuntimeException | Error e) {
            log.warn("A lock listener failed; the lock is not affected", e);
            return true;
        }
    }

    public void publish(LockEvent event) {
        for (LockListener listener : listeners()) {
            guarded(() -> listener.onEvent(event));
        }
    }

    /** Reports the start of an acquisition, which must be {@linkplain #end ended} once. */
    public LockListener.Acquisition begin(LockKey key, String name) {
        List<LockListener.Acquisition> begun = new ArrayList<>(1);
        for (LockListener listener : listeners()) {
            guarded(() -> {
                LockListener.Acquisition acquisition = listener.onAcquire(key, name);
                if (acquisition != LockListener.Acquisition.UNOBSERVED) {
                    begun.add(acquisition);
                }
            });
        }
        return begun.isEmpty() ? LockListener.Acquisition.UNOBSERVED : new Acquisitions(begun);
    }

    /** Reports the outcome of an acquisition. */
    public void end(LockListener.Acquisition acquisition, LockEvent.OfLock outcome) {
        publish(outcome);
        acquisition.ended(outcome);
    }

    /** One acquisition, as several listeners see it. */
    private record Acquisitions(List<LockListener.Acquisition> all) implements LockListener.Acquisition {

        @Override
        public LockListener.Scope onThread() {
            List<LockListener.Scope> scopes = new ArrayList<>(all.size());
            all.forEach(each -> guarded(() -> scopes.add(each.onThread())));
            Collections.reverse(scopes);
            return () -> scopes.forEach(scope -> guarded(scope::close));
        }

        @Override
        public void ended(LockEvent.OfLock outcome) {
            all.forEach(each -> guarded(() -> each.ended(outcome)));
        }
    }

    public void publishLater(LockEvent event) {
        if (hasListeners()) {
            later(() -> publish(event));
        }
    }

    private List<LockListener> listeners() {
        List<LockListener> known = listeners;
        if (known == null) {
            try {
                known = sources.stream()
                        .flatMap(source -> source.get().stream())
                        .toList();
                listeners = known;
            } catch (RuntimeException e) {
                log.warn("Lock listeners are not available yet; an event was dropped", e);
                return List.of();
            }
        }
        return known;
    }

    public void later(Runnable action) {
        try {
            thread.execute(() -> {
                listening = Thread.currentThread();
                guarded(action);
            });
        } catch (RejectedExecutionException closed) {
            guarded(action);
        } catch (OutOfMemoryError noThread) { // the clock thread may be publishing, and has other work to do
            log.warn("Cannot start a thread to notify lock listeners", noThread);
        }
    }

    public static void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            log.warn("A lock listener failed; the lock is not affected", e);
        }
    }

    /**
     * Delivers pending events, for {@value #LAST_WORDS_SECONDS} s at most. A listener that closes the client does not wait.
     */
    public void close() {
        thread.shutdown();
        if (Thread.currentThread() == listening) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        try {
            if (!thread.awaitTermination(LAST_WORDS_SECONDS, TimeUnit.SECONDS)) {
                log.debug("A lock listener is still running while the client is being closed");
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
