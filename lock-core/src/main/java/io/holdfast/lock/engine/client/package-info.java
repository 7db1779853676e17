/**
 * Who this client is, and what it does in the background: tidy up at the store, tell listeners. Used by the engine only.
 */
@NullMarked
package io.holdfast.lock.engine.client;

import org.jspecify.annotations.NullMarked;
