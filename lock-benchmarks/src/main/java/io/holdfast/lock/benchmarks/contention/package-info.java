/** Many threads, clients and processes that contend for the same lock. */
@NullMarked
package io.holdfast.lock.benchmarks.contention;

import org.jspecify.annotations.NullMarked;
