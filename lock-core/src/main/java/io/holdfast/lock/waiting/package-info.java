/**
 * How a caller waits for a lock that somebody else holds: in line with other threads of its client
 * ({@link io.holdfast.lock.waiting.Lines}), and in the queue at the store ({@link io.holdfast.lock.waiting.EntryKeeper}).
 */
@NullMarked
package io.holdfast.lock.waiting;

import org.jspecify.annotations.NullMarked;
