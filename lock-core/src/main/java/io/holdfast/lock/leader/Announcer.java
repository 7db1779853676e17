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
 */
class Announcer {

    private static final Logger log = LoggerFactory.getLogger(Leadership.class);

    private final Executor threads;
    private final List<Consumer<Term>> whenElected = new ArrayList<>();
    private final List<Consumer<Term>> whenRevoked = new ArrayList<>();
    private final Queue<Runnable> calls = new ArrayDeque<>();
    private @Nullable Term announced;
    private boolean calling;

    Announcer(Executor threads) {
        this.threads = threads;
    }

    /**
     * Also notifies the listener of the current term; a listener that is added between two steps is notified of a term once.
     */
    void onElected(Consumer<Term> action) {
        synchronized (this) {
            whenElected.add(action);
            if (announced != null) {
                add(List.of(action), announced);
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
        announced = term;
        add(whenElected, term);
    }

    /** Returns a future that completes when all notified listeners have returned. */
    synchronized CompletableFuture<@Nullable Void> revoked(Term term) {
        CompletableFuture<@Nullable Void> told = new CompletableFuture<>();
        announced = null;
        add(whenRevoked, term);
        calls.add(() -> told.complete(null));
        return told;
    }

    private void add(List<Consumer<Term>> actions, Term term) {
        actions.forEach(each -> calls.add(() -> call(each, term)));
    }

    /** Makes the remaining calls; on the current thread if the election is closed, because whoever ends a term waits for them. */
    void goOn() {
        synchronized (this) {
            if (calling || calls.isEmpty()) {
                return;
            }
            calling = true;
        }
        DaemonThreads.executeOrRun(threads, this::callAll);
    }

    private void callAll() {
        for (Runnable next = next(); next != null; next = next()) {
            next.run();
        }
    }

    private synchronized @Nullable Runnable next() {
        Runnable next = calls.poll();
        calling = next != null;
        return next;
    }

    private static void call(Consumer<Term> action, Term term) {
        try {
            action.accept(term);
        } catch (RuntimeException | Error e) {
            log.warn("A leadership listener for role '{}' failed; leadership is not affected", term.role(), e);
        }
    }
}
