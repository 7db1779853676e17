/**
 * How a lock is acquired: in steps, none of which waits. The way in is {@link io.holdfast.lock.engine.acquire.Attempt}. Used by the engine only.
 */
@NullMarked
package io.holdfast.lock.engine.acquire;

import org.jspecify.annotations.NullMarked;
