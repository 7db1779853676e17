/** The tables and charts. */
@NullMarked
package io.holdfast.lock.benchmarks.report;

import org.jspecify.annotations.NullMarked;
