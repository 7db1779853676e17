/** What clients send to Redis, counted on the wire. */
@NullMarked
package io.holdfast.lock.benchmarks.counting;

import org.jspecify.annotations.NullMarked;
