package io.holdfast.lock.spring.integration;

import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.LockStore;

class InMemoryLockRegistryTest extends LockRegistryContract {

    private final LockStore store = new InMemoryLockStore();

    @Override
    LockStore store() {
        return store;
    }
}
