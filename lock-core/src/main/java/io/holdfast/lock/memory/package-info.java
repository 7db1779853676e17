/**
 * Locks kept in this JVM, for tests and one-node development. Entry point: {@link io.holdfast.lock.memory.InMemoryLockStore}.
 */
@NullMarked
package io.holdfast.lock.memory;

import org.jspecify.annotations.NullMarked;
