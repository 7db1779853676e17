/**
 * What is held: the handles of a lease, which thread has them, and how they are given back, lost, or checked. Used by the engine only.
 */
@NullMarked
package io.holdfast.lock.engine.hold;

import org.jspecify.annotations.NullMarked;
