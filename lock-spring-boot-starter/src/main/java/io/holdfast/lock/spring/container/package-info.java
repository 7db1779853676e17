/** Containers as the Redis of locks: of Testcontainers, and of Docker Compose. */
@NullMarked
package io.holdfast.lock.spring.container;

import org.jspecify.annotations.NullMarked;
