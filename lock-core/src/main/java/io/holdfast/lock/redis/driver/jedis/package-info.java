/** The wire and the connections of Jedis. Door: {@link io.holdfast.lock.redis.driver.jedis.JedisConnections}. */
@NullMarked
package io.holdfast.lock.redis.driver.jedis;

import org.jspecify.annotations.NullMarked;
