/**
 * The way of a call: reenter, wait, grant, lease, handle. Door: {@link io.holdfast.lock.engine.LockEngine}.
 */
@NullMarked
package io.holdfast.lock.engine;

import org.jspecify.annotations.NullMarked;
