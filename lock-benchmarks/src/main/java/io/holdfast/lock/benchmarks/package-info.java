/** Compares Holdfast with other locks on Redis: the command-line tool, the rows of the results, and the rounds of measurements. */
@NullMarked
package io.holdfast.lock.benchmarks;

import org.jspecify.annotations.NullMarked;
