/** Products, orders and payments: what a service guards with locks. */
@NullMarked
package io.holdfast.lock.sample.shop;

import org.jspecify.annotations.NullMarked;
