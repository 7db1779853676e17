package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.engine.client.Cleanup;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.engine.deadlock.NestedWaits;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Pause;
import io.holdfast.lock.store.Ticker;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a {@link LockEngine} is made of from its first lock on. */
final class Parts {

    private final ClientContext client;
    private final LockOperations operations;
    private final NestedWaits nested;
    private final Cleanup cleanup;
    private final EventPublisher events;
    private final AsyncThreads async;

    /** As the builder of a {@link LockEngine} has them. */
    record Settings(
            LockStore store,
            List<Supplier<List<LockListener>>> listeners,
            @Nullable Executor executor,
            int mostWaiting,
            Ticker ticker,
            Pause pause,
            boolean queueThread,
            @Nullable String clientId) {}

    Parts(Settings settings) {
        this.events = new EventPublisher(settings.listeners);
        this.cleanup = new Cleanup(settings.store);
        this.client = new ClientContext(
                settings.store, cleanup, settings.ticker, settings.pause, settings.queueThread, settings.clientId);
        this.nested = new NestedWaits(client, settings.queueThread);
        this.operations = new LockOperations(client, events, nested);
        this.async = new AsyncThreads(settings.executor, settings.mostWaiting, settings.pause);
    }

    ClientContext client() {
        return client;
    }

    LockOperations operations() {
        return operations;
    }

    AsyncThreads async() {
        return async;
    }

    /** Does what is due of the work of background threads, for tests on virtual time. */
    void tick() {
        client.queue().tick();
        nested.tick();
    }

    void close() {
        nested.close();
        operations.lifecycle().close();
        cleanup.close();
        events.close();
        async.close();
    }
}
