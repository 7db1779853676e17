package io.holdfast.lock.kotlin

import io.holdfast.lock.api.LockHandle
import io.holdfast.lock.api.LockNotAcquiredException
import io.holdfast.lock.api.LockRequest
import io.holdfast.lock.api.LockResult
import io.holdfast.lock.api.LockTemplate
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicBoolean
import java.util.function.Function
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.future.await
import kotlinx.coroutines.future.future
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext

/**
 * Runs suspending work under the lock, without blocking the caller's thread.
 *
 * ```kotlin
 * suspend fun pay(order: Order): Receipt =
 *     locks.executeAndAwait("order:${order.id}") { lock -> ledger.book(order, lock.fencingToken()) }
 * ```
 *
 * The lock is acquired on a thread of the lock client, see [LockTemplate.executeAsync]; the work runs in a child of the
 * calling coroutine, with its context and dispatcher. The lock belongs to no thread: work that requests the same key again
 * waits for itself.
 *
 * Cancellation during the wait ends the wait, and cancellation while the work is running cancels the work; the lock is
 * released when the work has ended, and the call ends after that.
 *
 * @param key what to lock
 * @param work runs while the lock is held, and receives the lock
 * @return what the work returned, after the lock was released
 * @throws io.holdfast.lock.api.LockNotAcquiredException if the lock was not free within 5 s
 * @throws io.holdfast.lock.api.LockLostException if the lock was lost while the work ran
 * @throws io.holdfast.lock.api.LockOverloadException if too many calls are already waiting
 * @throws io.holdfast.lock.api.LockStoreException if Redis did not respond or rejected the call
 */
public suspend fun <R> LockTemplate.executeAndAwait(key: String, work: suspend (LockHandle) -> R): R =
    executeAndAwait(LockRequest.of(key), work)

/**
 * Runs suspending work under the lock, see [executeAndAwait].
 *
 * @param request what to lock, and how; waits for 5 s by default
 * @param work runs while the lock is held, and receives the lock
 * @return what the work returned, after the lock was released
 */
public suspend fun <R> LockTemplate.executeAndAwait(request: LockRequest, work: suspend (LockHandle) -> R): R =
    awaitExecution({ executeAsync(request, it) }, work)

/** Runs suspending work, and awaits the future that [start] returns: [LockTemplate.executeAsync] with the function it receives. */
internal suspend fun <R> awaitExecution(
    start: (Function<LockHandle, CompletableFuture<R>>) -> CompletableFuture<R>,
    work: suspend (LockHandle) -> R,
): R =
    // A supervisor: a failure of the work is reported by the future, after the release, and does not cancel the wait for the future.
    supervisorScope {
        val begun = AtomicBoolean()
        val held =
            start(
                Function { lock: LockHandle ->
                    begun.set(true)
                    future { work(lock) }
                }
            )
        try {
            held.thenApply { it }.await() // cancellation ends this await, but not yet what it waits for
        } catch (cancelled: CancellationException) {
            if (!begun.get()) {
                held.cancel(true)
            }
            withContext(NonCancellable) { held.handle { _, _ -> }.await() }
            throw cancelled
        }
    }

/**
 * Runs suspending work if the lock is free, without blocking the caller's thread.
 *
 * ```kotlin
 * when (val outcome = locks.tryExecuteAndAwait("nightly") { import() }) {
 *     is LockResult.Executed -> log.info("imported {}", outcome.value)
 *     is LockResult.NotAcquired -> log.info("somebody else is doing it")
 * }
 * ```
 *
 * The work runs in the same way as with [executeAndAwait].
 *
 * @param key what to lock
 * @param work runs while the lock is held, and receives the lock
 * @return the outcome, after the lock was released; contention does not throw
 * @throws io.holdfast.lock.api.LockLostException if the lock was lost while the work ran
 * @throws io.holdfast.lock.api.LockOverloadException if too many calls are already waiting
 * @throws io.holdfast.lock.api.LockStoreException if Redis did not respond or rejected the call
 */
public suspend fun <R> LockTemplate.tryExecuteAndAwait(key: String, work: suspend (LockHandle) -> R): LockResult<R> =
    tryExecuteAndAwait(LockRequest.of(key), work)

/**
 * Runs suspending work if the lock is free, see [tryExecuteAndAwait].
 *
 * @param request what to lock, and how; a single try unless it has a `waitFor`
 * @param work runs while the lock is held, and receives the lock
 * @return the outcome, after the lock was released; contention does not throw
 */
public suspend fun <R> LockTemplate.tryExecuteAndAwait(
    request: LockRequest,
    work: suspend (LockHandle) -> R,
): LockResult<R> {
    val patient = if (request.waitFor().isPresent) request else request.waitFor(Duration.ZERO)
    var begun = false
    return try {
        LockResult.Executed(
            executeAndAwait(patient) { lock ->
                begun = true
                work(lock)
            },
        )
    } catch (refused: LockNotAcquiredException) {
        if (begun) throw refused // a lock inside the work
        LockResult.NotAcquired(refused.key(), refused.waitedFor(), refused.holder(), refused.blockage())
    }
}
