/**
 * Overviews of all locks of a store, in addition to the operations of {@link io.holdfast.lock.store.LockStore} on single locks.
 */
@NullMarked
package io.holdfast.lock.store.overview;

import org.jspecify.annotations.NullMarked;
