/**
 * The port between the engine and whatever keeps the locks: {@link io.holdfast.lock.store.LockStore} and its values.
 */
@NullMarked
package io.holdfast.lock.store;

import org.jspecify.annotations.NullMarked;
