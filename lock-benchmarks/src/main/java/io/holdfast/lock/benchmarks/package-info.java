/** Compares Holdfast with other locks on Redis: the command, the rows, the rounds. */
@NullMarked
package io.holdfast.lock.benchmarks;

import org.jspecify.annotations.NullMarked;
