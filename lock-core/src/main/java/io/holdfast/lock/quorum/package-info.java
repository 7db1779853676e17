/**
 * Locks on a majority of independent servers (Redlock). Entry points: {@link io.holdfast.lock.quorum.QuorumLockStore} and
 * {@link io.holdfast.lock.quorum.QuorumNode}.
 */
@NullMarked
package io.holdfast.lock.quorum;

import org.jspecify.annotations.NullMarked;
