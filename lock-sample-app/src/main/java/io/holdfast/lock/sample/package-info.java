/** A shop that oversells without the lock: products, orders and payments. */
@NullMarked
package io.holdfast.lock.sample;

import org.jspecify.annotations.NullMarked;
