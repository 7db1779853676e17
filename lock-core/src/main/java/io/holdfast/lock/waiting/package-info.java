/**
 * How a caller waits for a lock somebody else holds. Doors: {@link io.holdfast.lock.waiting.PollingWaiter}, {@link io.holdfast.lock.waiting.Budget}.
 */
@NullMarked
package io.holdfast.lock.waiting;

import org.jspecify.annotations.NullMarked;
