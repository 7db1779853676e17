/** Metrics, observations and application events of locks. */
@NullMarked
package io.holdfast.lock.spring.observe;

import org.jspecify.annotations.NullMarked;
