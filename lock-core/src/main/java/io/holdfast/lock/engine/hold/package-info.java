/**
 * What is held: the handles of a lease, which thread has them, and how they are given back, lost, or checked. Used by the engine only.
 * Start at {@code Releases} for how a lock is given back, and at
 * {@link io.holdfast.lock.engine.hold.LeaseReports} for how a loss is reported.
 */
@NullMarked
package io.holdfast.lock.engine.hold;

import org.jspecify.annotations.NullMarked;
