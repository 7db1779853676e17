/**
 * The identity of this client, and its background work: cleanup at the store, and listeners. Used by the engine only.
 */
@NullMarked
package io.holdfast.lock.engine.client;

import org.jspecify.annotations.NullMarked;
