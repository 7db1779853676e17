/** How a method is locked, read from its annotation, once: {@link io.holdfast.lock.spring.definition.LockOperationSource}. */
@NullMarked
package io.holdfast.lock.spring.definition;

import org.jspecify.annotations.NullMarked;
