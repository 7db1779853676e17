/**
 * How a caller waits for a lock that is held by others: in line with other callers of its client, and in the queue at the
 * store. A caller enters through {@link io.holdfast.lock.waiting.LocalQueue}.
 */
@NullMarked
package io.holdfast.lock.waiting;

import org.jspecify.annotations.NullMarked;
