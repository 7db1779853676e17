package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockSnapshot;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.engine.acquire.AcquireResult;
import io.holdfast.lock.engine.acquire.Attempt;
import io.holdfast.lock.engine.acquire.Attempts;
import io.holdfast.lock.engine.acquire.Call;
import io.holdfast.lock.engine.acquire.Caller;
import io.holdfast.lock.engine.acquire.MultiAcquisition;
import io.holdfast.lock.engine.acquire.Reentry;
import io.holdfast.lock.engine.acquire.Steps;
import io.holdfast.lock.engine.acquire.Waits;
import io.holdfast.lock.engine.client.Cleanup;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.Each;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.engine.deadlock.NestedWaits;
import io.holdfast.lock.engine.hold.HeldLocks;
import io.holdfast.lock.engine.hold.Hold;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Pause;
import io.holdfast.lock.store.Ticker;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a {@link LockEngine}, created for its first lock, and its operations on locks. Every acquisition goes through
 * here, so that template, {@code Lock} view and annotation share the same records. {@link Attempt} acquires, {@link
 * HeldLocks} releases.
 */
final class LockOperations {

    private static final Logger log = LoggerFactory.getLogger(LockOperations.class);

    private final ClientContext client;
    private final Cleanup cleanup;
    private final EventPublisher events;
    private final Attempts attempts;
    private final HeldLocks locks;
    private final Activity activity;
    private final AsyncThreads async;
    private final NestedWaits nested;

    /** The settings of the builder of a {@link LockEngine}. */
    record Settings(
            LockStore store,
            List<Supplier<List<LockListener>>> listeners,
            @Nullable Executor executor,
            int mostWaiting,
            Ticker ticker,
            Pause pause,
            boolean queueThread,
            @Nullable String clientId) {}

    LockOperations(Settings settings) {
        this.events = new EventPublisher(settings.listeners);
        this.cleanup = new Cleanup(settings.store);
        this.client = new ClientContext(
                settings.store, cleanup, settings.ticker, settings.pause, settings.queueThread, settings.clientId);
        this.async = new AsyncThreads(settings.executor, settings.mostWaiting, settings.pause);
        this.nested = new NestedWaits(client, settings.queueThread);
        var waits = new Waits(events, client, nested);
        this.locks = new HeldLocks(client, events);
        this.activity = new Activity(client, locks, waits, events);
        client.onRevoked(locks::doubt);
        this.attempts = new Attempts(client, locks, new Reentry(client, locks), waits, events);
    }

    /** An acquisition of the locks, which has not begun. In the order of their keys, with one budget and one caller. */
    Steps steps(List<Call> calls) {
        return calls.size() == 1 ? new Attempt(attempts, calls.get(0)) : new MultiAcquisition(attempts, calls);
    }

    /** An acquisition of the locks by the current thread, which is their {@link #thread caller} and waits for them. */
    AcquireResult acquire(List<Call> calls) throws InterruptedException {
        Caller caller = calls.get(0).caller();
        return caller.acquire(steps(calls), client.pause());
    }

    /**
     * The current thread.
     *
     * @param bound whether what it acquires ends when the thread dies
     * @param interruptible whether an interrupt ends its wait
     */
    Caller thread(boolean bound, boolean interruptible) {
        return Caller.thread(locks.ofCurrentThread(), bound, interruptible);
    }

    ClientContext client() {
        return client;
    }

    HeldLocks locks() {
        return locks;
    }

    Activity activity() {
        return activity;
    }

    AsyncThreads async() {
        return async;
    }

    LockSnapshot inspect(LockKey key) {
        return ClientContext.uninterruptibly(() -> client.store().inspect(key));
    }

    /**
     * Notifies holders of this client immediately, but only those that were granted before the call to the store: later grants
     * are not affected. A writer that becomes a reader in the meantime learns it from the store, which alone knows the order.
     */
    List<LockHolder> forceRelease(LockKey key, Set<LockMode> modes) {
        List<Hold> own = locks.all().stream()
                .filter(hold -> hold.key().equals(key) && modes.contains(hold.mode()))
                .toList();
        List<LockHolder> former = ClientContext.uninterruptibly(() -> client.store().forceRelease(key, modes));
        own.stream()
                .filter(hold -> hold.isOpen() && modes.contains(hold.mode()))
                .forEach(hold -> hold.lose(LossCause.REVOKED));
        for (LockHolder holder : former) {
            log.warn("Lock '{}' was released by force; it was held by {}", key, holder.describe());
            events.publish(new LockEvent.ForceReleased(key, holder));
        }
        return former;
    }

    /** Does the work of background threads that is due, for tests on virtual time. */
    void tick() {
        client.queue().tick();
        nested.tick();
    }

    void close() {
        Each.run(nested::close, locks::close, cleanup::close, events::close, async::close);
    }
}
