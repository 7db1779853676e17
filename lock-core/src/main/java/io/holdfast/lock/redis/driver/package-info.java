/**
 * How scripts reach the servers behind a RedisTemplate ({@link io.holdfast.lock.redis.driver.Wire}): over dedicated connections of
 * Jedis, or over those of the application; and the meaning of driver failures.
 */
@NullMarked
package io.holdfast.lock.redis.driver;

import org.jspecify.annotations.NullMarked;
