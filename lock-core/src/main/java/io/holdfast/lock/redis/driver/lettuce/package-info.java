/** The wire and the connections of Lettuce. Door: {@link io.holdfast.lock.redis.driver.lettuce.LettuceConnections}. */
@NullMarked
package io.holdfast.lock.redis.driver.lettuce;

import org.jspecify.annotations.NullMarked;
