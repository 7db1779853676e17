package io.holdfast.lock.kotlin

import io.holdfast.lock.api.LockHandle
import io.holdfast.lock.api.LockRequest
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/** [LockRequest.lease] by a duration of Kotlin: `LockRequest.of("nightly").lease(10.seconds)`. */
public fun LockRequest.lease(value: Duration): LockRequest = lease(value.toJavaDuration())

/** [LockRequest.waitFor] by a duration of Kotlin. */
public fun LockRequest.waitFor(value: Duration): LockRequest = waitFor(value.toJavaDuration())

/** [LockRequest.minHold] by a duration of Kotlin. */
public fun LockRequest.minHold(value: Duration): LockRequest = minHold(value.toJavaDuration())

/** [LockRequest.maxHold] by a duration of Kotlin. */
public fun LockRequest.maxHold(value: Duration): LockRequest = maxHold(value.toJavaDuration())

/** [LockRequest.outageTolerance] by a duration of Kotlin. */
public fun LockRequest.outageTolerance(value: Duration): LockRequest = outageTolerance(value.toJavaDuration())

/** [LockHandle.extend] by a duration of Kotlin. */
public fun LockHandle.extend(atLeast: Duration): Unit = extend(atLeast.toJavaDuration())
