/**
 * The operations that a driver provides ({@link io.holdfast.lock.redis.driver.Wire}), their implementations for Jedis and
 * Spring Data, and the meaning of driver failures.
 */
@NullMarked
package io.holdfast.lock.redis.driver;

import org.jspecify.annotations.NullMarked;
