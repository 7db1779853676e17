/** Statistics that are calculated from the measurements. */
@NullMarked
package io.holdfast.lock.benchmarks.statistics;

import org.jspecify.annotations.NullMarked;
