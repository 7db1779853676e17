package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockActivity;
import io.holdfast.lock.api.LockClient;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockInterruptedException;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.api.LockOverview;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockResult;
import io.holdfast.lock.api.LockScan;
import io.holdfast.lock.api.LockScanRequest;
import io.holdfast.lock.api.LockSnapshot;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LockWaits;
import io.holdfast.lock.api.LockedFunction;
import io.holdfast.lock.api.RemoteLock;
import io.holdfast.lock.api.RemoteReadWriteLock;
import io.holdfast.lock.engine.acquire.AcquireResult;
import io.holdfast.lock.engine.acquire.Call;
import io.holdfast.lock.engine.acquire.Caller;
import io.holdfast.lock.engine.acquire.Steps;
import io.holdfast.lock.engine.hold.ClosableHandle;
import io.holdfast.lock.store.LockStore;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The lock client: {@link LockTemplate} on a {@link LockStore}. An application needs one instance; thread-safe.
 *
 * <pre>{@code
 * LockStore store = new RedisLockStore(connectionFactory, RedisLockSettings.STANDARD);
 * LockEngine locks = LockEngine.builder(store).build();
 * locks.execute("order:42", () -> charge(42));
 * }</pre>
 *
 * <p>Closing it rejects new requests, declares locks that are still held lost, and releases them; call {@link #drain} before
 * to give holders time. The store belongs to the caller.
 */
public final class LockEngine implements LockTemplate, LockActivity, LockOverview, AutoCloseable {

    private final LockOperations.Settings settings;
    private final Requests requests;
    private volatile @Nullable LockOperations operations;
    private boolean endedUnused;

    LockEngine(LockOperations.Settings settings, Requests requests) {
        this.settings = settings;
        this.requests = requests;
    }

    /** Created on first use: an application that starts without a lock does not load it. */
    private LockOperations operations() {
        LockOperations made = operations;
        return made == null ? make() : made;
    }

    private synchronized LockOperations make() {
        LockOperations made = operations;
        if (made == null) {
            made = new LockOperations(settings);
            if (endedUnused) {
                made.close();
            }
            operations = made;
        }
        return made;
    }

    /** No lock can be acquired afterwards. Returns false if it was used, and must be closed. */
    private synchronized boolean endUnused() {
        endedUnused = operations == null;
        return endedUnused;
    }

    /**
     * {@return a builder of a client}
     *
     * @param store keeps the locks; the caller owns it, and closes it after the engine
     */
    public static LockEngineBuilder builder(LockStore store) {
        return new LockEngineBuilder(store);
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockedFunction<T, E> work)
            throws E {
        return run(required(request, true), work);
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> LockResult<T> tryExecute(
            LockRequest request, LockedFunction<T, E> work) throws E {
        AcquireResult result = acquire(request, Duration.ZERO, true);
        if (result instanceof AcquireResult.Granted granted) {
            return new LockResult.Executed<>(run(granted.handle(), work));
        }
        var refused = (AcquireResult.Refused) result;
        return new LockResult.NotAcquired<>(
                refused.key(),
                refused.waitedForLock(),
                refused.holder(),
                overview().blockage(refused));
    }

    private static <T extends @Nullable Object, E extends Throwable> T run(
            ClosableHandle handle, LockedFunction<T, E> work) throws E {
        T result;
        try {
            result = work.apply(handle);
        } catch (Throwable failure) {
            handle.closeAfter(failure);
            throw failure;
        }
        handle.close();
        return result;
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            LockRequest request, Function<? super LockHandle, ? extends CompletionStage<T>> work) {
        AsyncThreads threads = operations().async();
        if (!threads.tryEnter()) {
            return CompletableFuture.failedFuture(
                    LockOverloadException.ofClient(requests.masked(request).key(), settings.mostWaiting()));
        }
        var execution = new AsyncExecution<T>(work, threads);
        try {
            return execution.start(new Asynchronous(request, execution.caller()));
        } catch (RuntimeException | Error e) {
            threads.leave();
            return CompletableFuture.failedFuture(e);
        }
    }

    /** How a task acquires. */
    private final class Asynchronous implements AsyncExecution.Acquiring {

        private final Caller caller;
        private final Steps steps;

        Asynchronous(LockRequest asked, Caller caller) {
            this.caller = caller;
            this.steps =
                    operations().steps(requests.calls(asked, requests.defaults().waitFor(), oneTry -> caller));
        }

        @Override
        public Steps steps() {
            return steps;
        }

        @Override
        public ClosableHandle required(AcquireResult found) {
            return handle(found.possible());
        }

        @Override
        public void adopt(Runnable action) {
            operations().locks().adopt(caller.holds(), action);
        }
    }

    @Override
    public LockHandle acquire(LockRequest request) {
        return required(request, false);
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        return acquire(request, Duration.ZERO, false) instanceof AcquireResult.Granted granted
                ? Optional.of(granted.handle())
                : Optional.empty();
    }

    @Override
    public RemoteLock getLock(LockRequest request) {
        return views().lock(request);
    }

    @Override
    public RemoteReadWriteLock getReadWriteLock(LockRequest request) {
        return views().readWriteLock(request);
    }

    private Views views() {
        return new Views(operations(), requests, settings.ticker());
    }

    @Override
    public void ensureHeld(Duration atLeast) {
        operations().locks().ensureHeld(atLeast);
    }

    @Override
    public LockSnapshot inspect(String key) {
        return operations().inspect(requests.key(key));
    }

    @Override
    public List<LockHolder> forceRelease(String key) {
        return operations().forceRelease(requests.key(key), EnumSet.allOf(LockMode.class));
    }

    @Override
    public List<LockActivity.Hold> held() {
        return operations == null ? List.of() : operations().activity().held();
    }

    @Override
    public List<LockActivity.Wait> waiting() {
        return operations().activity().waiting();
    }

    @Override
    public long wakeUps() {
        return operations().activity().wakeUps();
    }

    @Override
    public long droppedEvents() {
        return operations().activity().droppedEvents();
    }

    @Override
    public int lateRenewals() {
        return operations().activity().lateRenewals();
    }

    @Override
    public SubscriptionState subscriptionState() {
        return operations().activity().subscriptionState();
    }

    private Overview overview() {
        return new Overview(operations().client(), operations().locks(), requests.masking());
    }

    @Override
    public LockScan scan(LockScanRequest request) {
        return overview().scan(request);
    }

    @Override
    public LockWaits waits() {
        return overview().waits();
    }

    @Override
    public LockClient client() {
        return overview().client();
    }

    String clientId() {
        return operations().client().id();
    }

    /** Asks for the entries that are due now, for tests on virtual time. */
    void keepEntries() {
        operations().tick();
    }

    private ClosableHandle required(LockRequest request, boolean bound) {
        return handle(acquire(request, requests.defaults().waitFor(), bound));
    }

    private ClosableHandle handle(AcquireResult result) {
        if (result instanceof AcquireResult.Granted granted) {
            return granted.handle();
        }
        var refused = (AcquireResult.Refused) result;
        throw new LockNotAcquiredException(
                null,
                refused.key(),
                refused.waitedForLock(),
                refused.holder().orElse(null),
                overview().blockage(refused));
    }

    private AcquireResult acquire(LockRequest asked, Duration defaultWait, boolean bound) {
        List<Call> calls =
                requests.calls(asked, defaultWait, oneTry -> operations().thread(bound, !oneTry));
        try {
            return operations().acquire(calls).possible();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(calls.get(0).key(), e);
        }
    }

    /**
     * Forgets the locks that this thread has lost but not released, as if it had released them: they count neither for {@link
     * #ensureHeld(Duration)} nor for a new acquisition of the same lock. For the end of a test, or of a task in a thread pool,
     * that may have left handles open.
     */
    public void forgetLost() {
        operations().locks().forgetLost();
    }

    /**
     * Rejects new requests from now on, ends waits for locks, and gives holders time to release their locks. During that time
     * leases are renewed, and holders may reenter the locks they hold. Lost locks are not awaited. Must be followed by {@link
     * #close}.
     *
     * @param atMost how long to wait for holders
     * @return whether all locks have been released
     * @throws InterruptedException if this thread is interrupted while it waits
     */
    public boolean drain(Duration atMost) throws InterruptedException {
        return endUnused() || operations().locks().drain(atMost);
    }

    /**
     * Prepares this process for being copied by CRaC, SnapStart, or any other checkpoint. Does what {@link #drain} does; locks
     * that are still held then are declared lost, with the cause {@link io.holdfast.lock.api.LossCause#CHECKPOINT}, and
     * released, because otherwise every copy would hold them. The store's connections and the files of this client are closed.
     * Must be followed by {@link #resume}, in each copy and in this process.
     *
     * @param atMost how long to wait for holders
     * @throws InterruptedException if this thread is interrupted while it waits
     */
    public void suspend(Duration atMost) throws InterruptedException {
        operations().locks().suspend(atMost);
    }

    /**
     * Resumes operation after {@link #suspend}, as a new client with a unique id. Has no effect if the client is not suspended.
     */
    public void resume() {
        if (operations != null) {
            operations().locks().resume();
        }
    }

    @Override
    public void close() {
        if (!endUnused()) {
            operations().close();
        }
    }
}
