package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.OutOfRangeException;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.threads.Pause;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link LockEngine}. Not thread-safe. An engine keeps its own copy. */
public final class LockEngineBuilder implements Cloneable {

    private static final int MAX_DATA_SIZE = 1_048_576;

    final LockStore store;

    /** Replaced, never modified. */
    List<Supplier<List<LockListener>>> sources = List.of();

    /** The options that apply unless a request sets its own; all of them are set. */
    LockRequest defaults = Terms.STANDARD;

    /** Whether keys are shown as hashes. */
    boolean masking;

    /** Changes each request, except its keys. */
    UnaryOperator<LockRequest> rule = UnaryOperator.identity();

    /** Returns the span of the current thread. */
    Supplier<@Nullable String> traceparent = () -> null;

    @Nullable
    Executor executor;

    int maxAsyncWaiting = 10_000;
    int maxDataSize = 65_536;
    Ticker ticker = Ticker.SYSTEM;
    Pause pause = Pause.PARK;

    /** Whether a thread keeps the entries alive; if not, tests do, on virtual time. */
    boolean queueThread = true;

    @Nullable
    String clientId;

    LockEngineBuilder(LockStore store) {
        this.store = store;
    }

    /**
     * Sets options that apply unless a request sets its own: its {@code lease} (by default 30 s), {@code waitFor} (5 s; the {@code
     * try…} methods do not wait), {@code renew} (true), {@code maxHold} (no limit), {@code warnAfter} (60 s) and {@code
     * outageTolerance} (30 s).
     *
     * <pre>{@code builder.defaults(request -> request.lease(Duration.ofSeconds(10)))}</pre>
     *
     * @param value sets options on the request that it receives; called once
     * @return this
     * @throws IllegalArgumentException if it sets other options, or returns a request that it created itself
     */
    public LockEngineBuilder defaults(UnaryOperator<LockRequest> value) {
        LockRequest changed = value.apply(defaults);
        if (!changed.keys().equals(defaults.keys())
                || changed.waitFor().isEmpty()
                || !Terms.of(changed, changed).equals(Terms.of(LockRequest.of(defaults.key()), changed))) {
            throw new IllegalArgumentException("The default options are " + changed
                    + ". Change only the lease, waitFor, renew, maxHold, warnAfter and outageTolerance of the request"
                    + " passed to the function: other options have no default, and are set on each request.");
        }
        this.defaults = changed;
        return this;
    }

    /**
     * Adds a function that changes each request before it is used. Functions are applied in the order in which they were added.
     *
     * @param value returns the request to use, which may be the same one, and must have the same keys. Called on the caller's
     *     thread for each acquisition, and once for each lock view
     * @return this
     */
    public LockEngineBuilder requests(UnaryOperator<LockRequest> value) {
        UnaryOperator<LockRequest> before = rule;
        this.rule = request -> changed(before.apply(request), value);
        return this;
    }

    /**
     * Views, inspection and forced release use the key that the caller passes, so with a changed key they would act on a
     * different lock. Masked keys stay masked.
     */
    private static LockRequest changed(LockRequest request, UnaryOperator<LockRequest> value) {
        LockRequest returned = value.apply(request);
        LockRequest changed = request.keys().stream().allMatch(LockKey::isMasked) ? returned.maskKeys() : returned;
        if (!changed.keys().equals(request.keys())) {
            throw new IllegalStateException("A request customizer changed the keys " + request.keys() + " to "
                    + changed.keys() + ". A customizer must not change keys; change them in the caller.");
        }
        return changed;
    }

    /**
     * {@return this}
     *
     * @param listener receives the events of this client's locks
     */
    public LockEngineBuilder listener(LockListener listener) {
        return listeners(() -> List.of(listener));
    }

    /**
     * {@return this}
     *
     * @param value starts the work of {@code executeAsync}: it calls the function that returns the stage, while the lock is
     *     held. Locks are acquired and released by threads of the client. The executor must run each task soon, on a different
     *     thread than the one that submits it, or reject it. It must not drop tasks, or queue them behind work that waits for
     *     a lock, because that work might wait forever. Default: daemon threads, as many as needed
     */
    public LockEngineBuilder executor(Executor value) {
        this.executor = value;
        return this;
    }

    /**
     * {@return this}
     *
     * @param value how many calls to {@code executeAsync} may wait for a lock at the same time, 1 or more; further
     *     calls fail immediately with a {@link LockOverloadException}. Default 10,000
     * @throws IllegalArgumentException if it is out of range
     */
    public LockEngineBuilder maxAsyncWaiting(int value) {
        if (value < 1) {
            throw new IllegalArgumentException("maxAsyncWaiting must be 1 or more, but is " + value);
        }
        this.maxAsyncWaiting = value;
        return this;
    }

    /**
     * {@return this}
     *
     * @param bytes how many bytes of data a lock may have, see {@link LockRequest#withData}; 1 to 1,048,576. Default 65,536
     * @throws IllegalArgumentException if it is out of range
     */
    public LockEngineBuilder maxDataSize(int bytes) {
        if (bytes < 1 || bytes > MAX_DATA_SIZE) {
            throw new OutOfRangeException("maxDataSize", bytes, "between 1 and " + MAX_DATA_SIZE + " bytes");
        }
        this.maxDataSize = bytes;
        return this;
    }

    /**
     * Makes logs, exceptions, events and endpoints show the keys of all locks as hashes, see {@link LockKey#masked()}.
     *
     * @param value whether to mask keys; default false
     * @return this
     */
    public LockEngineBuilder maskKeys(boolean value) {
        this.masking = value;
        return this;
    }

    /**
     * Records with each lock in which trace it was requested, see {@link io.holdfast.lock.api.LockHolder#traceparent}.
     *
     * @param value returns the {@code traceparent} of the current span, or null if there is none or if it is not sampled. Called on the
     *     caller's thread for each acquisition, so it must be fast; an exception ends the acquisition. By default, nothing is recorded
     * @return this
     */
    public LockEngineBuilder traceparent(Supplier<@Nullable String> value) {
        this.traceparent = value;
        return this;
    }

    /**
     * {@return this}
     *
     * @param value the clock for leases and timeouts, for tests
     */
    public LockEngineBuilder ticker(Ticker value) {
        this.ticker = value;
        return this;
    }

    /**
     * {@return this}
     *
     * @param value how time passes while a caller waits, for tests; for {@code executeAsync}, no wakeup ends a pause
     */
    public LockEngineBuilder pause(Pause value) {
        this.pause = value;
        return this;
    }

    /**
     * Adds listeners that are looked up on the first event, because they do not exist yet.
     *
     * @param source returns the listeners; if it fails, it is called again on the next event
     * @return this
     */
    public LockEngineBuilder listeners(Supplier<List<LockListener>> source) {
        this.sources = Stream.concat(sources.stream(), Stream.of(source)).toList();
        return this;
    }

    /** {@return the engine; its threads start when they are first needed} */
    public LockEngine build() {
        try {
            return new LockEngine((LockEngineBuilder) clone());
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }
}
