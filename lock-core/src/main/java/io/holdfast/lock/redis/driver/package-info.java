/**
 * Connections that only locks use, and how scripts go over them, for each driver. Doors:
 * {@link io.holdfast.lock.redis.driver.Drivers}, {@link io.holdfast.lock.redis.driver.DriverConnections},
 * {@link io.holdfast.lock.redis.driver.Wire}, {@link io.holdfast.lock.redis.driver.RedisFailures}.
 */
@NullMarked
package io.holdfast.lock.redis.driver;

import org.jspecify.annotations.NullMarked;
