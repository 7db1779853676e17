/**
 * The lock client: what the public API asks of it, by calls, views and tasks. Doors: {@link io.holdfast.lock.engine.LockEngine} and
 * {@link io.holdfast.lock.engine.LockEngineBuilder}, which makes one.
 */
@NullMarked
package io.holdfast.lock.engine;

import org.jspecify.annotations.NullMarked;
