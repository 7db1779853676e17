/** The locks that are compared, behind one interface. */
@NullMarked
package io.holdfast.lock.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
