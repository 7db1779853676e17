/**
 * The lock client: implements the public API for calls, {@code Lock} views and asynchronous tasks. Entry points: {@link
 * io.holdfast.lock.engine.LockEngine}, and {@link io.holdfast.lock.engine.LockEngineBuilder}, which creates it.
 */
@NullMarked
package io.holdfast.lock.engine;

import org.jspecify.annotations.NullMarked;
