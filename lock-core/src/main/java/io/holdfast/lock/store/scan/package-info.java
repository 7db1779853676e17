/**
 * Scans of all locks, and records of waits, in addition to the operations of {@link io.holdfast.lock.store.LockStore} on single locks.
 */
@NullMarked
package io.holdfast.lock.store.scan;

import org.jspecify.annotations.NullMarked;
