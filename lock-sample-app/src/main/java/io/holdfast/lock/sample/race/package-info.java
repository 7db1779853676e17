/** Instances race for the same stock, with and without the lock. */
@NullMarked
package io.holdfast.lock.sample.race;

import org.jspecify.annotations.NullMarked;
