/**
 * One lock over several servers that know nothing of each other: who has most of them has the lock (Redlock). Doors:
 * {@link io.holdfast.lock.quorum.QuorumLockStore} and {@link io.holdfast.lock.quorum.QuorumNode}.
 */
@NullMarked
package io.holdfast.lock.quorum;

import org.jspecify.annotations.NullMarked;
