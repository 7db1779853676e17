/** What the annotation costs beyond the template. */
@NullMarked
package io.holdfast.lock.benchmarks.annotated;

import org.jspecify.annotations.NullMarked;
