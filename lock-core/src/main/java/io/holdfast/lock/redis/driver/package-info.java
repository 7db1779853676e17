/**
 * What a driver has to give ({@link io.holdfast.lock.redis.driver.Wire}), by way of Jedis and by way of Spring Data, and what its
 * failures mean.
 */
@NullMarked
package io.holdfast.lock.redis.driver;

import org.jspecify.annotations.NullMarked;
