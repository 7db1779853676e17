/** Uncontended locks, measured with JMH. */
@NullMarked
package io.holdfast.lock.benchmarks.uncontended;

import org.jspecify.annotations.NullMarked;
