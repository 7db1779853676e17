/** How large the code may be, and how long the path of a call: the build fails above the budget. */
@NullMarked
package io.holdfast.lock.benchmarks.budget;

import org.jspecify.annotations.NullMarked;
