/** Uses containers of Testcontainers and Docker Compose as the Redis for locks. */
@NullMarked
package io.holdfast.lock.spring.container;

import org.jspecify.annotations.NullMarked;
