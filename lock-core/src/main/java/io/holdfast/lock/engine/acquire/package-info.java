/**
 * How a lock is acquired: in steps, none of which waits. Entry points: {@link io.holdfast.lock.engine.acquire.Acquisition} and
 * {@link io.holdfast.lock.engine.acquire.MultiAcquisition}.
 */
@NullMarked
package io.holdfast.lock.engine.acquire;

import org.jspecify.annotations.NullMarked;
