package io.holdfast.lock.leader;

import io.holdfast.lock.store.DaemonThreads;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the listeners of one role, one at a time and in the order of the events, on a pool thread, which is returned when all
 * calls are done. The monitor is never held while a listener is called.
 *
 * <p>Listeners that do not return delay all later calls. Their number is bounded: if {@value #MAX_WAITING} events wait when a
 * term begins, the terms before it are skipped as a whole, all but the one whose listeners are being called. All of them are
 * over by then, so listeners still hear of the current term, and of the end of every term of which they heard the beginning.
 */
class Announcer {

    private static final Logger log = LoggerFactory.getLogger(Leadership.class);

    static final int MAX_WAITING = 100;

    private final Executor threads;
    private final List<Consumer<Term>> whenElected = new ArrayList<>();
    private final List<Consumer<Term>> whenRevoked = new ArrayList<>();
    private final Queue<Event> events = new ArrayDeque<>();
    private @Nullable Term current;
    private @Nullable Term lastCalled;
    private boolean calling;
    private volatile @Nullable Thread thread;

    private record Event(Term term, List<Consumer<Term>> actions, CompletableFuture<@Nullable Void> notified) {}

    Announcer(Executor threads) {
        this.threads = threads;
    }

    /**
     * Also notifies the listener of the current term; a listener that is added between two steps is notified of a term once.
     */
    void onElected(Consumer<Term> action) {
        synchronized (this) {
            whenElected.add(action);
            if (current != null) {
                var unused = add(current, List.of(action));
            }
        }
        goOn();
    }

    synchronized void onRevoked(Consumer<Term> action) {
        whenRevoked.add(action);
    }

    /**
     * Must be followed by {@link #goOn}, like {@link #revoked}: the caller may hold a monitor, under which no listener may be
     * called.
     */
    synchronized void elected(Term term) {
        current = term;
        if (events.size() >= MAX_WAITING) {
            events.removeIf(event -> !event.term.equals(lastCalled));
            log.warn("Leadership listeners for role '{}' do not return; skipping terms that are over", term.role());
        }
        var unused = add(term, whenElected);
    }

    /** Returns a future that completes when all notified listeners have returned; never, if the term is skipped. */
    synchronized CompletableFuture<@Nullable Void> revoked(Term term) {
        current = null;
        return add(term, whenRevoked);
    }

    private CompletableFuture<@Nullable Void> add(Term term, List<Consumer<Term>> actions) {
        Event event = new Event(term, List.copyOf(actions), new CompletableFuture<>());
        events.add(event);
        return event.notified;
    }

    /** Makes the remaining calls; on the current thread if the election is closed, because whoever ends a term waits for them. */
    void goOn() {
        synchronized (this) {
            if (calling || events.isEmpty()) {
                return;
            }
            calling = true;
        }
        DaemonThreads.executeOrRun(threads, this::callAll);
    }

    private void callAll() {
        for (Event next = next(); next != null; next = next()) {
            Term term = next.term;
            next.actions.forEach(action -> call(action, term));
            next.notified.complete(null);
        }
    }

    private synchronized @Nullable Event next() {
        Event next = events.poll();
        calling = next != null;
        thread = calling ? Thread.currentThread() : null;
        lastCalled = next == null ? lastCalled : next.term;
        return next;
    }

    /** Whether the current thread calls a listener. */
    boolean isCallingHere() {
        return thread == Thread.currentThread();
    }

    private static void call(Consumer<Term> action, Term term) {
        try {
            action.accept(term);
        } catch (RuntimeException | Error e) {
            log.warn("A leadership listener for role '{}' failed; leadership is not affected", term.role(), e);
        }
    }
}
