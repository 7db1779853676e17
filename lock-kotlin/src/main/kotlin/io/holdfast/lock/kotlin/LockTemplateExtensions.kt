package io.holdfast.lock.kotlin

import io.holdfast.lock.api.LockHandle
import io.holdfast.lock.api.LockRequest
import io.holdfast.lock.api.LockResult
import io.holdfast.lock.api.LockTemplate
import io.holdfast.lock.api.LockedFunction

/**
 * Runs the work under the lock: like [LockTemplate.execute], whose type arguments Kotlin cannot infer.
 *
 * ```kotlin
 * val receipt = locks.withLock("order:$id") { charge(id) }
 * ```
 *
 * The lock belongs to this thread, so the work cannot suspend; use [executeAndAwait] for that.
 *
 * @param key what to lock
 * @param work runs on this thread while the lock is held, and receives the lock
 * @return what the work returned
 * @throws io.holdfast.lock.api.LockNotAcquiredException if the lock was not free within 5 s
 * @throws io.holdfast.lock.api.LockLostException if the lock was lost while the work ran
 * @throws io.holdfast.lock.api.LockStoreException if Redis did not respond or rejected the call
 */
public fun <R> LockTemplate.withLock(key: String, work: (LockHandle) -> R): R = withLock(LockRequest.of(key), work)

/**
 * Runs the work under the lock, see [withLock].
 *
 * @param request what to lock, and how; waits for 5 s by default
 * @param work runs on this thread while the lock is held, and receives the lock
 * @return what the work returned
 */
public fun <R> LockTemplate.withLock(request: LockRequest, work: (LockHandle) -> R): R =
    execute(request, LockedFunction<R, Throwable> { lock -> work(lock) })

/**
 * Runs the work if the lock is free: like [LockTemplate.tryExecute], whose type arguments Kotlin cannot infer.
 *
 * ```kotlin
 * when (val outcome = locks.tryWithLock("nightly") { import() }) {
 *     is LockResult.Executed -> log.info("imported {}", outcome.value)
 *     is LockResult.NotAcquired -> log.info("somebody else is doing it")
 * }
 * ```
 *
 * @param key what to lock
 * @param work runs on this thread while the lock is held, and receives the lock
 * @return the outcome; contention does not throw
 */
public fun <R> LockTemplate.tryWithLock(key: String, work: (LockHandle) -> R): LockResult<R> =
    tryWithLock(LockRequest.of(key), work)

/**
 * Runs the work if the lock is free, see [tryWithLock].
 *
 * @param request what to lock, and how; a single try unless it has a `waitFor`
 * @param work runs on this thread while the lock is held, and receives the lock
 * @return the outcome; contention does not throw
 */
public fun <R> LockTemplate.tryWithLock(request: LockRequest, work: (LockHandle) -> R): LockResult<R> =
    tryExecute(request, LockedFunction<R, Throwable> { lock -> work(lock) })

/**
 * What the work returned, or null if it did not run because the lock was not free.
 *
 * ```kotlin
 * val report = locks.tryWithLock("nightly") { report() }.getOrNull()
 * ```
 */
public fun <R : Any> LockResult<R>.getOrNull(): R? =
    when (this) {
        is LockResult.Executed -> value()
        is LockResult.NotAcquired -> null
    }
