package io.holdfast.lock.engine;

import io.holdfast.lock.api.AllLocks;
import io.holdfast.lock.api.Blockage;
import io.holdfast.lock.api.ClientId;
import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockData;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockInterruptedException;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockResult;
import io.holdfast.lock.api.LockScan;
import io.holdfast.lock.api.LockScanRequest;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LockWaits;
import io.holdfast.lock.api.LockedFunction;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.api.RemoteLock;
import io.holdfast.lock.api.RemoteReadWriteLock;
import io.holdfast.lock.engine.acquire.Acquisition;
import io.holdfast.lock.engine.acquire.MultiAcquisition;
import io.holdfast.lock.engine.acquire.Steps;
import io.holdfast.lock.engine.acquire.Waits;
import io.holdfast.lock.engine.client.Cleanup;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.engine.hold.AcquireResult;
import io.holdfast.lock.engine.hold.Handle;
import io.holdfast.lock.engine.hold.HeldLocks;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.store.DataRequest;
import io.holdfast.lock.store.Followers;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.scan.RecordedWait;
import io.holdfast.lock.store.scan.StoreScan;
import io.holdfast.lock.store.scan.WaitReport;
import io.holdfast.lock.threads.Pause;
import io.holdfast.lock.waiting.Budget;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock client: {@link LockTemplate} on a {@link LockStore}. An application needs a single instance. Thread-safe.
 *
 * <pre>{@code
 * LockStore store = new RedisLockStore(connectionFactory, RedisLockSettings.STANDARD);
 * LockEngine locks = LockEngine.builder(store).build();
 * locks.execute("order:42", () -> charge(42));
 * }</pre>
 *
 * <p>Closing the client rejects new requests and releases the locks that are still held, which count as lost; call
 * {@link #drain} first to give holders time to finish. The caller owns the store.
 *
 * <p>Every acquisition, except when a thread reenters a single lock, goes through {@link #steps}, so the template, {@code Lock} views
 * and annotated methods share the same state.
 */
public final class LockEngine implements LockTemplate, LocalLocks, AllLocks, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LockEngine.class);

    /** How many damaged locks the log names. */
    private static final int MAX_NAMED = 10;

    private final LockEngineBuilder settings;
    private final Duration defaultWait;

    /** Whether damaged locks have been logged. */
    private final AtomicBoolean warned = new AtomicBoolean();

    /** Created on first use, so that an application that acquires no lock during startup does not load these classes. */
    private volatile Acquisition.@Nullable Shared shared;

    /** Set before {@link #shared}. */
    private @Nullable AsyncCalls async;

    private boolean endedUnused;

    LockEngine(LockEngineBuilder settings) {
        this.settings = settings;
        this.defaultWait = settings.defaults.waitFor().orElseThrow();
    }

    Acquisition.Shared shared() {
        Acquisition.Shared made = shared;
        return made == null ? make() : made;
    }

    /** Empty if the client has not been used. Questions of health, metrics and endpoints do not use it. */
    private Optional<Acquisition.Shared> used() {
        return Optional.ofNullable(shared);
    }

    private synchronized Acquisition.Shared make() {
        Acquisition.Shared made = shared;
        if (made == null) {
            EventPublisher events = new EventPublisher(settings.sources);
            Cleanup cleanup = new Cleanup(settings.store);
            ClientContext client = new ClientContext(
                    settings.store, cleanup, settings.ticker, settings.queueThread, settings.clientId);
            HeldLocks locks = new HeldLocks(client, events, settings.maxDataSize);
            client.onRevoked(locks::doubt);
            made = new Acquisition.Shared(
                    client, locks, new Waits(client, settings.queueThread), events, settings.traceparent);
            async = new AsyncCalls(locks, settings.executor, settings.maxAsyncWaiting, settings.pause);
            if (endedUnused) {
                close(made);
            }
            shared = made;
        }
        return made;
    }

    private void close(Acquisition.Shared made) {
        ClientContext.all(
                made.waits()::close,
                made.locks()::close,
                made.client().cleanup::close,
                made.events()::close,
                Objects.requireNonNull(async)::close);
    }

    /**
     * Ends a client that has not been used: it cannot acquire locks afterwards. Returns false if it has been used, and
     * therefore has to be drained or closed.
     */
    private synchronized boolean endUnused() {
        endedUnused = shared == null;
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
        return run(handle(acquire(request, defaultWait, true)), work);
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> LockResult<T> tryExecute(
            LockRequest request, LockedFunction<T, E> work) throws E {
        AcquireResult result = acquire(request, Duration.ZERO, true);
        return result instanceof Handle granted
                ? new LockResult.Executed<>(run(granted, work))
                : refusal((AcquireResult.Contended) result);
    }

    private static <T extends @Nullable Object, E extends Throwable> T run(Handle handle, LockedFunction<T, E> work)
            throws E {
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
    public LockHandle acquire(LockRequest request) {
        return handle(acquire(request, defaultWait, false));
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        return acquire(request, Duration.ZERO, false) instanceof Handle granted
                ? Optional.of(granted)
                : Optional.empty();
    }

    /**
     * Acquires on the current thread.
     *
     * @param unlessSet how long to wait if the request does not specify it
     * @param bound whether the locks end when the thread dies
     */
    private AcquireResult acquire(LockRequest asked, Duration unlessSet, boolean bound) {
        LockRequest request = changed(asked);
        long wait = request.waitFor().orElse(unlessSet).toNanos();
        try {
            return acquire(each(request), wait, bound, true);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(request.key(), e);
        }
    }

    /**
     * @param waitNanos how long to wait; {@link Long#MAX_VALUE} for no limit
     * @param interruptible whether an interrupt ends the wait; it never ends a single try
     */
    AcquireResult acquire(List<Terms> each, long waitNanos, boolean bound, boolean interruptible)
            throws InterruptedException {
        WaitingThread thread = new WaitingThread();
        Caller caller = new Caller(locks().ofCurrentThread(), thread, false, bound, interruptible && waitNanos > 0);
        Handle again = each.size() == 1 ? locks().reenter(each.get(0), caller) : null;
        if (again != null) { // no call, no wait, no listener
            return again;
        }
        Budget budget = Budget.of(settings.ticker, waitNanos);
        return thread.acquire(steps(each, budget, caller), settings.pause, caller.interruptible());
    }

    /**
     * The current thread, which runs the {@link Steps} of an acquisition and parks between them.
     *
     * <p><b>No wakeup is lost.</b> The permit of {@link LockSupport} alone is not sufficient: listeners run between an unsuccessful
     * check and the pause, and a listener that blocks consumes the permit. So a wakeup also sets a flag here, which is cleared
     * before each step and read after it. A wakeup before the read makes the thread run another step instead of pausing; one after
     * the read leaves its permit to the pause, because nothing else runs in between.
     */
    private static final class WaitingThread implements Runnable {

        private final Thread thread = Thread.currentThread();
        private volatile boolean woken;

        /** Wakes the thread. */
        @Override
        public void run() {
            woken = true;
            LockSupport.unpark(thread);
        }

        /**
         * Acquires on this thread, which must call this method itself.
         *
         * @param steps the acquisition
         * @param pause pauses the thread between steps
         * @param interruptible whether an interrupt ends the wait; if not, or if it comes too late, the interrupt
         *     status is restored
         */
        AcquireResult acquire(Steps steps, Pause pause, boolean interruptible) throws InterruptedException {
            boolean interrupted = false;
            try {
                while (true) {
                    woken = false;
                    long left = steps.proceed();
                    if (left == 0) {
                        return steps.result();
                    }
                    try {
                        if (!woken) {
                            pause.pause(left);
                        }
                    } catch (InterruptedException e) {
                        if (interruptible) {
                            steps.interrupt(e);
                            thread.interrupt();
                        } else {
                            interrupted = true;
                        }
                    } catch (RuntimeException | Error e) {
                        steps.abandon(e);
                        throw e;
                    }
                }
            } finally {
                if (interrupted) {
                    thread.interrupt();
                }
            }
        }
    }

    List<Terms> each(LockRequest request) {
        if (request.dataKeep().isPresent() && !settings.store.keepsData()) {
            throw new IllegalArgumentException(
                    "Lock '" + request.key() + "' is requested withData, but no data of locks is kept in "
                            + settings.store + ". Remove withData, or keep locks on one server or in a cluster.");
        }
        return request.each().stream()
                .map(one -> Terms.of(one, settings.defaults))
                .toList();
    }

    /** Creates an acquisition that has not begun. */
    Steps steps(List<Terms> each, Budget budget, Caller caller) {
        return each.size() == 1
                ? new Acquisition(shared(), each.get(0), budget, caller)
                : new MultiAcquisition(shared(), each, budget, caller);
    }

    /** Applies the request customizers. Keys stay masked even if a customizer returns a new request. */
    private LockRequest changed(LockRequest asked) {
        return masked(settings.rule.apply(masked(asked)));
    }

    private LockRequest masked(LockRequest request) {
        return settings.masking ? request.maskKeys() : request;
    }

    /** Returns the handle, or throws an exception that explains why there is none. */
    private Handle handle(AcquireResult result) {
        return result instanceof Handle granted
                ? granted
                : this.<Handle>refusal((AcquireResult.Contended) result).orElseThrow();
    }

    private <T extends @Nullable Object> LockResult<T> refusal(AcquireResult.Contended of) {
        return new LockResult.NotAcquired<>(of.key(), of.waitedFor(), of.holder(), blockage(of));
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            LockRequest request, Function<? super LockHandle, ? extends CompletionStage<T>> work) {
        var unused = shared(); // also creates the calls
        return Objects.requireNonNull(async)
                .execute(
                        masked(request).key(),
                        caller -> {
                            LockRequest changed = changed(request);
                            Duration wait = changed.waitFor().orElse(defaultWait);
                            return steps(each(changed), Budget.of(settings.ticker, wait.toNanos()), caller);
                        },
                        this::handle,
                        work);
    }

    @Override
    public RemoteLock getLock(LockRequest request) {
        return new RemoteLockView(this, each(changed(request)));
    }

    @Override
    public RemoteReadWriteLock getReadWriteLock(LockRequest request) {
        if (request.keys().size() > 1) {
            throw new IllegalArgumentException("A read-write lock takes exactly one key, not "
                    + masked(request).keys()
                    + ". For several keys, combine one request for each key with LockRequest.and, and call getLock.");
        }
        return new ReadWriteView(masked(request).key(), getLock(request.shared()), getLock(request.exclusive()));
    }

    private record ReadWriteView(LockKey key, RemoteLock readLock, RemoteLock writeLock)
            implements RemoteReadWriteLock {}

    @Override
    public void ensureHeld(Duration atLeast) {
        locks().ensureHeld(atLeast);
    }

    @Override
    public void ensureLatest(BiPredicate<LockKey, Long> accepts) {
        locks().ensureLatest(accepts);
    }

    private LockKey shown(LockKey key) {
        return settings.masking ? key.masked() : key;
    }

    @Override
    public LockStatus inspect(String key) {
        return inspect(shown(LockKey.of(key)));
    }

    @Override
    public LockData data(String key) {
        DataRequest request = DataRequest.read(shown(LockKey.of(key)));
        return ClientContext.uninterruptibly(() -> settings.store.data(request)).orElseThrow();
    }

    LockStatus inspect(LockKey key) {
        return shown(ClientContext.uninterruptibly(() -> settings.store.inspect(key)));
    }

    @Override
    public List<LockHolder> forceRelease(String key) {
        return forceRelease(shown(LockKey.of(key)), EnumSet.allOf(LockMode.class));
    }

    /**
     * Notifies holders in this client immediately, but only those whose locks were granted before the call to the store: later
     * grants are not affected. A writer that becomes a reader in the meantime learns from the store whether it is affected,
     * because only the store knows the order. A call that an interrupt breaks is not repeated, because it would end the hold of the
     * next owner.
     */
    List<LockHolder> forceRelease(LockKey key, Set<LockMode> modes) {
        var own = holds().stream()
                .filter(hold -> hold.key().equals(key) && modes.contains(hold.mode()))
                .toList();
        List<LockHolder> former = ClientContext.uninterruptibly(() -> settings.store.forceRelease(key, modes), () -> {
            throw new LockStoreException("Interrupted while releasing lock '" + key + "' by force", null, true);
        });
        own.stream()
                .filter(hold -> hold.isOpen() && modes.contains(hold.mode()))
                .forEach(hold -> hold.lose(LossCause.REVOKED));
        for (LockHolder holder : former) {
            log.warn("Lock '{}' was released by force; it was held by {}", key, holder.describe());
            shared().events().publish(new LockEvent.ForceReleased(key, holder));
        }
        return former;
    }

    /** The locks that the threads of this client hold. */
    HeldLocks locks() {
        return shared().locks();
    }

    /** What this client holds now, or has lost but not released. */
    Set<io.holdfast.lock.engine.hold.Hold> holds() {
        return used().map(shared -> shared.locks().all()).orElse(Set.of());
    }

    @Override
    public List<LocalLocks.HeldLock> held() {
        return holds().stream()
                .filter(hold -> hold.loss() == null)
                .map(LockEngine::describe)
                .toList();
    }

    private static LocalLocks.HeldLock describe(io.holdfast.lock.engine.hold.Hold hold) {
        return new LocalLocks.HeldLock(
                hold.key(), hold.name(), hold.mode(), hold.token(), hold.thread(), hold.heldFor(), hold.remaining());
    }

    @Override
    public List<LocalLocks.WaitingCall> waiting() {
        return used().map(shared -> shared.waits().snapshot()).orElse(List.of());
    }

    @Override
    public long wakeups() {
        return used().map(shared -> shared.client().wakeups()).orElse(0L);
    }

    @Override
    public long droppedEvents() {
        return used().map(shared -> shared.events().dropped()).orElse(0L);
    }

    @Override
    public int lateRenewals() {
        return (int) holds().stream().filter(hold -> hold.isRenewalLate()).count();
    }

    @Override
    public SubscriptionState subscriptionState() {
        return used().map(shared -> shared.client().queue().entries.subscriptionState())
                .orElse(SubscriptionState.NOT_NEEDED);
    }

    // All locks in the store.

    @Override
    public LockWaits waits() {
        return new WaitGraph(recorded()).waits();
    }

    private List<RecordedWait> recorded() {
        return settings.store.recordedWaits().stream().map(this::shown).toList();
    }

    private RecordedWait shown(RecordedWait recorded) {
        WaitReport report = recorded.report();
        NestedWait it = report.what();
        List<NestedWait.HeldLock> holds = it.holds().stream()
                .map(held -> new NestedWait.HeldLock(shown(held.key()), held.fencingToken(), held.mode()))
                .toList();
        NestedWait shown = new NestedWait(
                it.clientId(), it.host(), it.pid(), it.thread(), shown(it.key()), it.mode(), it.waitedFor(), holds);
        return new RecordedWait(
                new WaitReport(report.id(), report.ended(), shown), recorded.sinceMicros(), recorded.seenMicros());
    }

    /**
     * Finds out why a wait ended without the lock, with a single call to the store, which has just replied. Makes no call after
     * a single try, because a caller that does not wait cannot be part of a cycle, and none if the client is closed. An
     * interrupt is preserved; a call that it breaks is not repeated.
     */
    private Blockage blockage(AcquireResult.Contended refused) {
        LockHolder holder = refused.holder().orElse(null);
        if (holder == null
                || !refused.hasWaited()
                || locks().isOver(shared().client().queue())) {
            return Blockage.UNKNOWN;
        }
        try {
            List<RecordedWait> waits = ClientContext.uninterruptibly(this::recorded, () -> {
                throw new IllegalStateException("Interrupted");
            });
            return new WaitGraph(waits).blockage(clientId(), refused.nestedWait(), refused.key(), holder);
        } catch (RuntimeException e) { // the caller needs the refusal, not this failure
            log.debug("Could not find out what the holder of lock '{}' is waiting for", refused.key(), e);
            return Blockage.UNKNOWN;
        }
    }

    @Override
    public ClientId client() {
        HolderInfo here = ClientContext.currentThread();
        return new ClientId(clientId(), here.host(), here.pid());
    }

    @Override
    public LockScan scan(LockScanRequest request) {
        StoreScan scan = settings.store
                .openScan(request.keysStartingWith())
                .orElseThrow(() ->
                        new UnsupportedOperationException("This lock store cannot list its locks: " + settings.store));
        boolean ended = walk(scan, request);
        List<LockStatus> found = scan.found().stream()
                .sorted(Comparator.comparing(status -> status.key().value()))
                .limit(request.limit())
                .map(this::shown)
                .toList();
        Set<LockKey> unreadable = scan.unreadable();
        if (!unreadable.isEmpty() && !warned.getAndSet(true)) {
            log.warn(
                    "Locks that cannot be read, because something else has changed them in Redis: {}. Release them by force.",
                    unreadable.stream().limit(MAX_NAMED).map(this::shown).toList());
        }
        boolean complete = ended && scan.isComplete() && scan.size() <= request.limit();
        return new LockScan(found, complete, unreadable.size());
    }

    /**
     * Runs the scan, and returns whether it was completed. It is paced to the requested rate, however fast the store replies,
     * to limit the load on the store. An interrupt ends it, and is preserved.
     */
    private boolean walk(StoreScan scan, LockScanRequest request) {
        long start = settings.ticker.nanos();
        long next = start;
        try {
            while (scan.step()) {
                long now = settings.ticker.nanos();
                if (scan.size() > request.limit()
                        || now - start >= request.timeout().toNanos()) {
                    return false;
                }
                next += TimeUnit.SECONDS.toNanos(1) / request.callsPerSecond();
                for (; now - next < 0; now = settings.ticker.nanos()) {
                    settings.pause.pause(next - now);
                }
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** With at least the waiters of this client, of which the store may not know all yet. */
    private LockStatus shown(LockStatus status) {
        LockKey key = shown(status.key());
        Followers own = used().map(made -> made.waits().of(status.key())).orElse(Followers.NONE);
        int waiters = Math.max(status.waiters(), own.number());
        Duration longest = Collections.max(List.of(status.longestWait(), own.longestWait()));
        return new LockStatus(key, status.holders(), status.queue(), waiters, status.lastFencingToken(), longest);
    }

    /** Before the client is used: the id that it will have. */
    synchronized String clientId() {
        String first = settings.clientId == null ? ClientContext.randomId() : settings.clientId;
        settings.clientId = first;
        return used().map(shared -> shared.client().id()).orElse(first);
    }

    /**
     * Forgets the locks that this thread has lost but not released, as if it had released them: they count neither for
     * {@link #ensureHeld(Duration)} nor for a new acquisition of the same lock. Intended for the end of a test, or of a task
     * in a thread pool, that may have left handles open.
     */
    public void forgetLost() {
        locks().forgetLost();
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
        return endUnused() || locks().drain(atMost);
    }

    /**
     * Prepares this process for being copied by CRaC, SnapStart, or any other checkpoint. Does what {@link #drain} does; locks
     * that are still held afterwards are declared lost, with the cause {@link io.holdfast.lock.api.LossCause#CHECKPOINT}, and
     * released, because otherwise every copy would hold them. The store's connections and the files of this client are closed.
     * Must be followed by {@link #resume}, in each copy and in this process.
     *
     * @param atMost how long to wait for holders
     * @throws InterruptedException if this thread is interrupted while it waits
     */
    public void suspend(Duration atMost) throws InterruptedException {
        locks().suspend(atMost);
    }

    /**
     * Resumes operation after {@link #suspend}, as a new client with a unique id. Has no effect if the client is not suspended.
     */
    public void resume() {
        used().ifPresent(made -> made.locks().resume());
    }

    @Override
    public void close() {
        if (!endUnused()) {
            close(shared());
        }
    }
}
