/**
 * The lock client: what the public API asks of it, by calls, views and tasks. Door: {@link io.holdfast.lock.engine.LockEngine}.
 */
@NullMarked
package io.holdfast.lock.engine;

import org.jspecify.annotations.NullMarked;
