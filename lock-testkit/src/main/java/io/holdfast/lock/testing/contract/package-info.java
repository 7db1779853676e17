/**
 * What every {@link io.holdfast.lock.store.LockStore} must do, as tests for whoever writes one. Doors: {@link
 * io.holdfast.lock.testing.contract.LockStoreContract}, and {@link io.holdfast.lock.testing.contract.HolderContract} for
 * stores without a queue.
 */
@NullMarked
package io.holdfast.lock.testing.contract;

import org.jspecify.annotations.NullMarked;
