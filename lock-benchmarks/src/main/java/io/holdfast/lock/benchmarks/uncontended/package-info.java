/** Locks that nobody else wants, measured by JMH. */
@NullMarked
package io.holdfast.lock.benchmarks.uncontended;

import org.jspecify.annotations.NullMarked;
