/** The cost of the annotation compared with that of the template. */
@NullMarked
package io.holdfast.lock.benchmarks.annotated;

import org.jspecify.annotations.NullMarked;
