package io.holdfast.lock.engine;

import io.holdfast.lock.store.LockStore;

/** Clients without background threads, for tests on virtual time. */
final class VirtualTime {

    private VirtualTime() {}

    /** No thread keeps the entries alive; only {@link #keepEntries} does. */
    static LockEngineBuilder builder(LockStore store) {
        LockEngineBuilder builder = LockEngine.builder(store);
        builder.queueThread = false;
        return builder;
    }

    /** Does the work of background threads that is due. */
    static void keepEntries(LockEngine engine) {
        engine.shared().client().queue().entries.tick();
        engine.shared().waits().tick();
    }
}
