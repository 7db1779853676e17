/**
 * Real Redis servers for tests, standalone, as a cluster, with sentinels or with TLS; proxies in front of them; virtual time.
 * They serve Holdfast's own tests, and may change in any version. Entry points: {@link io.holdfast.lock.testing.TestRedis},
 * {@link io.holdfast.lock.testing.RedisServerProcess}, {@link io.holdfast.lock.testing.RedisClusterProcesses}, {@link
 * io.holdfast.lock.testing.RedisSentinelProcesses}, {@link io.holdfast.lock.testing.FaultProxy}, {@link
 * io.holdfast.lock.testing.FakeTicker}.
 */
@NullMarked
package io.holdfast.lock.testing;

import org.jspecify.annotations.NullMarked;
