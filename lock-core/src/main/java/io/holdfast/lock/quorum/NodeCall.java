package io.holdfast.lock.quorum;

import io.holdfast.lock.store.LockStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call to one server, in two steps: it is sent, and its reply is read. Each step is done once, by the first thread that
 * claims it; a thread that finds a step claimed leaves it to the other.
 *
 * <pre>
 *   NEW ──► SENDING ──► SENT ──► READING ──► complete
 * </pre>
 *
 * <p>So one thread can send to all servers before it reads from the first, and if it gets stuck at a server that hangs,
 * others {@linkplain #finish finish} what it has not begun, each at its own server. Both steps are claimed by
 * compare-and-set, and the state is SENT only after the pending answer was written, so who reads sees it.
 *
 * @param <A> its answer
 */
final class NodeCall<A> extends CompletableFuture<A> {

    private enum State {
        NEW,
        SENDING,
        SENT,
        READING
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.NEW);
    private final Supplier<LockStore.Pending<A>> sending;
    private final Function<LockStore.Pending<A>, A> reading;
    private LockStore.@Nullable Pending<A> pending;

    /**
     * Creates an instance.
     *
     * @param sending sends it
     * @param reading waits for its answer
     */
    NodeCall(Supplier<LockStore.Pending<A>> sending, Function<LockStore.Pending<A>, A> reading) {
        this.sending = sending;
        this.reading = reading;
    }

    /** Sends it, unless some thread does so. */
    void send() {
        if (!state.compareAndSet(State.NEW, State.SENDING)) {
            return;
        }
        try {
            pending = sending.get();
        } catch (RuntimeException | Error e) {
            completeExceptionally(e);
            return;
        }
        state.set(State.SENT);
    }

    /** Sends it if necessary, and waits for the reply, unless another thread is doing one of the two. */
    void finish() {
        send();
        LockStore.Pending<A> sent = state.compareAndSet(State.SENT, State.READING) ? pending : null;
        if (sent == null) {
            return;
        }
        A answer;
        try {
            answer = reading.apply(sent);
        } catch (RuntimeException | Error e) {
            completeExceptionally(e);
            return;
        }
        complete(answer);
    }
}
