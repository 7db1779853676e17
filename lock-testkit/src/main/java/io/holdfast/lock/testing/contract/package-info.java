/**
 * The requirements for every {@link io.holdfast.lock.store.LockStore}, as tests for authors of stores. Entry points: {@link
 * io.holdfast.lock.testing.contract.LockStoreContract}, and {@link io.holdfast.lock.testing.contract.HolderContract} for stores without a
 * queue.
 */
@NullMarked
package io.holdfast.lock.testing.contract;

import org.jspecify.annotations.NullMarked;
