/** How a method is locked, which is read once from its annotation: {@link io.holdfast.lock.spring.definition.LockOperationSource}. */
@NullMarked
package io.holdfast.lock.spring.definition;

import org.jspecify.annotations.NullMarked;
