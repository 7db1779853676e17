/**
 * The lock client: implements the public API for calls, {@code Lock} views and asynchronous tasks. Doors: {@link
 * io.holdfast.lock.engine.LockEngine} and {@link io.holdfast.lock.engine.LockEngineBuilder}, which makes one.
 */
@NullMarked
package io.holdfast.lock.engine;

import org.jspecify.annotations.NullMarked;
