package io.holdfast.lock.kotlin

import io.holdfast.lock.api.LockHandle
import io.holdfast.lock.api.LockKey
import io.holdfast.lock.api.LockLostException
import io.holdfast.lock.api.LockNotAcquiredException
import io.holdfast.lock.api.LockRequest
import io.holdfast.lock.api.LockResult
import io.holdfast.lock.api.LockTemplate
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.atomic.AtomicInteger
import java.util.function.Function
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test

/** Work that suspends. All coroutines of a test share its one thread, so whatever blocked that would never end. */
class CoroutinesTest : InMemoryLocks() {

    private val patient = LockRequest.of("order:42").waitFor(5.minutes)
    private val inner = LockRequest.of("order:43").waitFor(1.milliseconds)

    @Test
    fun lock_is_held_while_the_work_is_suspended() = runBlocking<Unit> {
        val goOn = CompletableDeferred<Unit>()
        val work = async {
            locks.executeAndAwait("order:42") { lock ->
                goOn.await()
                lock.fencingToken()
            }
        }
        while (!isHeld("order:42")) {
            yield()
        }
        goOn.complete(Unit)
        assertThat(work.await()).isPositive()
        assertThat(isHeld("order:42")).isFalse()
    }

    @Test
    fun coroutines_of_one_thread_exclude_each_other() = runBlocking<Unit> {
        val inside = AtomicInteger()
        val most = AtomicInteger()
        coroutineScope {
            List(20) {
                    async {
                        locks.executeAndAwait(patient) {
                            most.accumulateAndGet(inside.incrementAndGet(), Math::max)
                            repeat(5) { yield() }
                            inside.decrementAndGet()
                        }
                    }
                }
                .awaitAll()
        }
        assertThat(most.get()).isEqualTo(1)
    }

    @Test
    fun null_is_a_result() = runBlocking<Unit> {
        val nothing: String? = locks.executeAndAwait("order:42") { null }
        assertThat(nothing).isNull()
    }

    /** Tells the end of the work only when it is let. */
    private class LateAnswers(private val locks: LockTemplate) : LockTemplate by locks {
        val released = CompletableFuture<Unit>()

        override fun <T> executeAsync(
            request: LockRequest,
            work: Function<in LockHandle, out CompletionStage<T>>,
        ): CompletableFuture<T> = locks.executeAsync(request, work).thenCompose { value -> released.thenApply { value } }
            .exceptionallyCompose { failure -> released.thenCompose { CompletableFuture.failedFuture(failure) } }
    }

    @Test
    fun failure_of_the_work_is_told_after_the_release() = runBlocking<Unit> {
        val late = LateAnswers(locks)
        val failed = CompletableDeferred<Unit>()
        val call = async {
            runCatching {
                late.executeAndAwait("order:42") {
                    failed.complete(Unit)
                    throw IOException("disk full")
                }
            }
        }
        failed.await()
        repeat(100) { yield() }
        assertThat(call.isCompleted).isFalse()
        late.released.complete(Unit)
        assertThat(call.await().exceptionOrNull()).isInstanceOf(IOException::class.java)
    }

    @Test
    fun failure_of_the_work_is_the_callers_to_handle() = runBlocking<Unit> {
        val after =
            try {
                locks.executeAndAwait<Unit>("order:42") { throw IOException("disk full") }
                "nothing"
            } catch (expected: IOException) {
                yield() // throws, if the failure had cancelled the caller
                "handled"
            }
        assertThat(after).isEqualTo("handled")
    }

    @Test
    fun lock_that_is_not_free_in_time_is_an_exception() {
        others.acquire("order:42").use {
            assertThatThrownBy { runBlocking { locks.executeAndAwait(patient.waitFor(1.milliseconds)) { "never" } } }
                .isInstanceOf(LockNotAcquiredException::class.java)
        }
    }

    @Test
    fun try_tells_contention_as_an_outcome() = runBlocking<Unit> {
        others.acquire("order:42").use {
            val outcome = locks.tryExecuteAndAwait("order:42") { throw AssertionError("has no lock") }
            assertThat(outcome).isInstanceOfSatisfying(LockResult.NotAcquired::class.java) {
                assertThat(it.key()).isEqualTo(LockKey.of("order:42"))
                assertThat(it.holder()).isPresent()
            }
        }
        val receipt: LockResult<String?> = locks.tryExecuteAndAwait("order:42") { null }
        assertThat(receipt).isEqualTo(LockResult.Executed(null))
    }

    @Test
    fun try_waits_as_long_as_it_is_told_to() = runBlocking<Unit> {
        val other = others.acquire("order:42").also { it.detach() }
        val outcome = async { locks.tryExecuteAndAwait(patient) { "receipt" } }
        while (others.inspect("order:42").waiters() == 0) {
            yield()
        }
        other.close()
        assertThat(outcome.await()).isEqualTo(LockResult.Executed("receipt"))
    }

    @Test
    fun contention_inside_the_work_is_the_works_own() {
        others.acquire("order:43").use {
            assertThatThrownBy {
                    runBlocking { locks.tryExecuteAndAwait("order:42") { locks.withLock(inner) { "never" } } }
                }
                .isInstanceOf(LockNotAcquiredException::class.java)
                .hasMessageContaining("order:43")
        }
    }

    @Test
    fun cancel_ends_the_wait() = runBlocking<Unit> {
        others.acquire("order:42").use {
            val waiting = launch { locks.executeAndAwait(patient) { throw AssertionError("has no lock") } }
            while (others.inspect("order:42").waiters() == 0) {
                yield()
            }
            waiting.cancelAndJoin()
            await().until { others.inspect("order:42").waiters() == 0 }
        }
    }

    @Test
    fun cancel_ends_the_work_and_releases_the_lock() = runBlocking<Unit> {
        val ended = CompletableDeferred<Throwable>()
        val begun = CompletableDeferred<Unit>()
        val working = launch {
            locks.executeAndAwait(patient) {
                begun.complete(Unit)
                try {
                    awaitCancellation()
                } catch (e: CancellationException) {
                    ended.complete(e)
                    throw e
                }
            }
        }
        begun.await()
        working.cancelAndJoin()
        assertThat(ended.isCompleted).isTrue()
        assertThat(isHeld("order:42")).isFalse()
    }

    @Test
    fun cancelled_call_ends_after_the_release() = runBlocking<Unit> {
        val late = LateAnswers(locks)
        val begun = CompletableDeferred<Unit>()
        val call = launch {
            late.executeAndAwait("order:42") {
                begun.complete(Unit)
                awaitCancellation()
            }
        }
        begun.await()
        call.cancel()
        delay(200.milliseconds)
        assertThat(call.isCompleted).isFalse()
        late.released.complete(Unit)
        call.join()
        assertThat(call.isCancelled).isTrue()
    }

    @Test
    fun loss_is_told_when_the_work_has_ended() {
        assertThatThrownBy {
                runBlocking { locks.executeAndAwait("order:42") { others.forceRelease("order:42") } }
            }
            .isInstanceOf(LockLostException::class.java)
    }
}
