/**
 * Locks kept in Redis. Entry points: {@link io.holdfast.lock.redis.RedisLockStore}, {@link
 * io.holdfast.lock.redis.RedisLockSettings}.
 */
@NullMarked
package io.holdfast.lock.redis;

import org.jspecify.annotations.NullMarked;
