package io.holdfast.lock.kotlin

import io.holdfast.lock.api.LockHandle
import io.holdfast.lock.api.LockRequest
import io.holdfast.lock.api.LockTemplate
import io.holdfast.lock.api.RemoteLock
import java.util.concurrent.TimeUnit
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/** [LockRequest.lease] with a Kotlin duration: `LockRequest.of("nightly").lease(10.seconds)`. */
public fun LockRequest.lease(value: Duration): LockRequest = lease(value.toJavaDuration())

/** [LockRequest.waitFor] with a Kotlin duration; [Duration.INFINITE] is [LockRequest.MAX_TIME]. */
public fun LockRequest.waitFor(value: Duration): LockRequest =
    waitFor(if (value == Duration.INFINITE) LockRequest.MAX_TIME else value.toJavaDuration())

/** [LockRequest.minHold] with a Kotlin duration. */
public fun LockRequest.minHold(value: Duration): LockRequest = minHold(value.toJavaDuration())

/** [LockRequest.maxHold] with a Kotlin duration. */
public fun LockRequest.maxHold(value: Duration): LockRequest = maxHold(value.toJavaDuration())

/** [LockRequest.outageTolerance] with a Kotlin duration. */
public fun LockRequest.outageTolerance(value: Duration): LockRequest = outageTolerance(value.toJavaDuration())

/** [LockHandle.extend] with a Kotlin duration. */
public fun LockHandle.extend(atLeast: Duration): Unit = extend(atLeast.toJavaDuration())

/** [LockTemplate.ensureHeld] with a Kotlin duration. */
public fun LockTemplate.ensureHeld(atLeast: Duration): Unit = ensureHeld(atLeast.toJavaDuration())

/**
 * [RemoteLock.tryLock] with a Kotlin duration: `locks.getLock("order:42").tryLock(2.seconds)`.
 *
 * @param time how long to wait; zero or less for a single try
 * @throws InterruptedException if the thread was interrupted while it waited
 */
public fun RemoteLock.tryLock(time: Duration): Boolean = tryLock(time.inWholeNanoseconds, TimeUnit.NANOSECONDS)
