/** Makes containers of Testcontainers and Docker Compose the Redis for locks. */
@NullMarked
package io.holdfast.lock.spring.container;

import org.jspecify.annotations.NullMarked;
