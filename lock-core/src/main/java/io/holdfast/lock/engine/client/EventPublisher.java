package io.holdfast.lock.engine.client;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.threads.DaemonThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies listeners, and runs the loss actions of handles. Exceptions are logged. A listener that blocks delays the notifying
 * thread, which is the caller's or the listener thread; it never delays the watchdog or a loss action, since these protect
 * data.
 *
 * <p>At most {@value #MAX_WAITING} events wait for the listener thread. Further ones are dropped and counted: a listener that
 * never returns must not exhaust the memory. The same applies to loss actions that do not return. Loss actions have
 * {@value #ACTION_THREADS} threads, so that one that blocks does not hold up those of other locks.
 */
public final class EventPublisher {

    private static final Logger log = LoggerFactory.getLogger(EventPublisher.class);

    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(2);
    private static final int ACTION_THREADS = 8;
    public static final int MAX_WAITING = 10_000;

    private final List<Supplier<List<LockListener>>> sources;
    private final Backlog later = new Backlog("events for lock listeners", 1, "holdfast-listeners");
    private final Backlog actions = new Backlog("onLost actions", ACTION_THREADS, "holdfast-on-lost-");

    private volatile @Nullable List<LockListener> listeners;

    /**
     * Creates an instance.
     *
     * @param sources supply the listeners; called on the first event
     */
    public EventPublisher(List<Supplier<List<LockListener>>> sources) {
        this.sources = List.copyOf(sources);
    }

    /** Whether any listener would receive an event. */
    public boolean hasListeners() {
        List<LockListener> known = listeners;
        if (known == null) {
            return !sources.isEmpty();
        }
        try {
            for (LockListener each : known) {
                if (each.isListening()) {
                    return true;
                }
            }
            return false;
        } catch (Throwable e) { // Kotlin has no checked exceptions
            log.warn("A lock listener failed; the lock is not affected", e);
            return true;
        }
    }

    public void publish(LockEvent event) {
        listeners().forEach(listener -> guarded(() -> listener.onEvent(event)));
    }

    /** Reports the start of an acquisition, which must be {@linkplain LockListener.AcquisitionObserver#ended ended} once. */
    public LockListener.AcquisitionObserver begin(LockKey key, String name) {
        List<LockListener.AcquisitionObserver> begun = new ArrayList<>(1);
        listeners().forEach(listener -> guarded(() -> begun.add(listener.onAcquire(key, name))));
        begun.removeIf(LockListener.AcquisitionObserver.UNOBSERVED::equals);
        return begun.isEmpty() ? LockListener.AcquisitionObserver.UNOBSERVED : new Acquisitions(begun);
    }

    /** One acquisition, as several listeners see it. */
    private record Acquisitions(List<LockListener.AcquisitionObserver> all)
            implements LockListener.AcquisitionObserver {

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

    /** Notifies listeners on the listener thread, unless too many events are waiting for it. */
    public void publishLater(LockEvent event) {
        if (hasListeners()) {
            later.run(() -> publish(event));
        }
    }

    /**
     * Runs a loss action, on another thread until this is closed, unless too many are waiting. Loss actions do not wait for
     * listeners.
     */
    public void later(Runnable action) {
        actions.run(action);
    }

    /** Threads, and the tasks that wait for them. */
    private static final class Backlog {

        private final String what;
        private final String thread;
        private final ExecutorService threads;
        private final AtomicInteger waiting = new AtomicInteger();
        private final AtomicLong dropped = new AtomicLong();

        /** Whether the limit was reached, which is logged once, until no task is waiting. */
        private final AtomicBoolean full = new AtomicBoolean();

        Backlog(String what, int most, String thread) {
            this.what = what;
            this.thread = thread;
            this.threads = DaemonThreads.pool(most, thread);
        }

        /** Runs a task later, unless too many are waiting. */
        void run(Runnable task) {
            if (waiting.incrementAndGet() > MAX_WAITING) {
                waiting.decrementAndGet();
                dropped.incrementAndGet();
                if (!full.getAndSet(true)) {
                    log.warn(
                            "{} {} are waiting, and further ones are dropped, because earlier ones are blocked. Look for {}"
                                    + " in a thread dump.",
                            MAX_WAITING,
                            what,
                            thread);
                }
                return;
            }
            DaemonThreads.executeOrRun(threads, () -> {
                if (waiting.decrementAndGet() == 0 && full.getAndSet(false)) {
                    log.warn("The backlog of {} has been cleared; {} have been dropped so far", what, dropped);
                }
                guarded(task);
            });
        }
    }

    /** {@return how many events were dropped because listeners did not keep up} */
    public long dropped() {
        return later.dropped.get();
    }

    private List<LockListener> listeners() {
        List<LockListener> known = listeners;
        if (known == null) {
            try {
                known = sources.stream()
                        .flatMap(source -> source.get().stream())
                        .toList();
                listeners = known;
            } catch (Throwable e) { // Kotlin has no checked exceptions
                log.warn("Lock listeners are not available yet; an event was dropped", e);
                return List.of();
            }
        }
        return known;
    }

    public static void guarded(Runnable action) {
        try {
            action.run();
        } catch (Throwable e) { // Kotlin has no checked exceptions
            log.warn("A lock listener failed; the lock is not affected", e);
        }
    }

    /**
     * Delivers pending events, and runs pending actions, for two seconds at most. Does not wait if a listener or action
     * closes the client.
     */
    public void close() {
        if (!DaemonThreads.end(SHUTDOWN_TIMEOUT, actions.threads, later.threads)) {
            log.debug("A lock listener is still running while the client is being closed");
        }
    }
}
