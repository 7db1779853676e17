package io.holdfast.lock.leader;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the listeners of one role, one at a time, in the order of what they are told: on some thread, which ends when there is
 * nothing left to tell. The monitor is never held while a listener is called.
 */
final class Announcer {

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

    /** Has it told of the current term, too: whoever comes in between two steps hears of a term once. */
    void onElected(Consumer<Term> action) {
        boolean start;
        synchronized (this) {
            whenElected.add(action);
            start = announced != null && add(List.of(action), announced);
        }
        begin(start);
    }

    synchronized void onRevoked(Consumer<Term> action) {
        whenRevoked.add(action);
    }

    void elected(Term term) {
        boolean start;
        synchronized (this) {
            announced = term;
            start = add(whenElected, term);
        }
        begin(start);
    }

    /** Returns what completes when all who are told so have returned. */
    CompletableFuture<@Nullable Void> revoked(Term term) {
        CompletableFuture<@Nullable Void> told = new CompletableFuture<>();
        boolean start;
        synchronized (this) {
            announced = null;
            boolean first = add(whenRevoked, term);
            start = add(() -> told.complete(null)) || first;
        }
        begin(start);
        return told;
    }

    private boolean add(List<Consumer<Term>> actions, Term term) {
        boolean start = false;
        for (Consumer<Term> each : actions) {
            start |= add(() -> call(each, term));
        }
        return start;
    }

    /** Returns whether nobody goes on with the calls yet, and so the caller has to see to it. */
    private boolean add(Runnable call) {
        calls.add(call);
        boolean start = !calling;
        calling = true;
        return start;
    }

    /** If there are no more threads, on this one: whoever ends a term waits for it. */
    private void begin(boolean start) {
        if (start) {
            try {
                threads.execute(this::callAll);
            } catch (RejectedExecutionException | OutOfMemoryError noThread) {
                callAll();
            }
        }
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
            log.warn("A listener of leadership in role '{}' failed; it has no further effect", term.role(), e);
        }
    }
}
