/**
 * The identity of this client, and its background work: cleanup in the store, and calls to listeners. Used by the engine only.
 */
@NullMarked
package io.holdfast.lock.engine.client;

import org.jspecify.annotations.NullMarked;
