/** Metrics, observations and application events of locks. */
@NullMarked
package io.holdfast.lock.spring.autoconfigure.observation;

import org.jspecify.annotations.NullMarked;
