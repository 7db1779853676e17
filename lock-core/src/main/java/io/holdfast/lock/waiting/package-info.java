/**
 * How a caller waits for a lock that is held by others: in line with other callers of its client, and in the queue at the store.
 * Doors: {@link io.holdfast.lock.waiting.LocalQueue}, {@link io.holdfast.lock.waiting.Place}, {@link io.holdfast.lock.waiting.Front},
 * {@link io.holdfast.lock.waiting.Budget}.
 */
@NullMarked
package io.holdfast.lock.waiting;

import org.jspecify.annotations.NullMarked;
