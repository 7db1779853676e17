/** What is worked out from the figures. */
@NullMarked
package io.holdfast.lock.benchmarks.statistics;

import org.jspecify.annotations.NullMarked;
