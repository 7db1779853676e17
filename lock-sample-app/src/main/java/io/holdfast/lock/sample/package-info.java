/** A shop that oversells without the lock. */
@NullMarked
package io.holdfast.lock.sample;

import org.jspecify.annotations.NullMarked;
