/**
 * Reads the configuration of an application's Lettuce, which locks then use with Jedis. Door:
 * {@link io.holdfast.lock.redis.driver.lettuce.LettuceApplication}.
 */
@NullMarked
package io.holdfast.lock.redis.driver.lettuce;

import org.jspecify.annotations.NullMarked;
