package io.holdfast.lock.engine;

import io.holdfast.lock.store.LockStore;

/** Clients with the same state, as if their process had been copied, and nobody had told them. */
public final class Copies {

    private Copies() {}

    /** {@return a client that is to the store what the original is, and knows nothing of it} */
    public static LockEngine of(LockEngine original, LockStore store) {
        LockEngineBuilder builder = LockEngine.builder(store);
        builder.clientId = original.clientId();
        return builder.build();
    }
}
