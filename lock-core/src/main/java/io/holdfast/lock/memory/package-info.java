/**
 * Locks kept in this JVM, for tests and development with one instance. Entry point: {@link io.holdfast.lock.memory.InMemoryLockStore}.
 */
@NullMarked
package io.holdfast.lock.memory;

import org.jspecify.annotations.NullMarked;
