/** {@link io.holdfast.lock.spring.annotation.DistributedLock} and its enums. */
@NullMarked
package io.holdfast.lock.spring.annotation;

import org.jspecify.annotations.NullMarked;
