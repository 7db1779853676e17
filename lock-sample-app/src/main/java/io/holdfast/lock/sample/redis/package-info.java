/** Finds a Redis for the sample, or starts one. */
@NullMarked
package io.holdfast.lock.sample.redis;

import org.jspecify.annotations.NullMarked;
