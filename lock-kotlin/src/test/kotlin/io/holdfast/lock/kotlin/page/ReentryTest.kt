package io.holdfast.lock.kotlin.page

import io.holdfast.lock.api.LockNotAcquiredException
import io.holdfast.lock.api.LockRequest
import io.holdfast.lock.kotlin.InMemoryLocks
import io.holdfast.lock.kotlin.executeAndAwait
import io.holdfast.lock.kotlin.waitFor
import io.holdfast.lock.kotlin.withLock
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.async
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test

/** Which locks may be inside of which, with one key. */
class ReentryTest : InMemoryLocks() {

    private val order = LockRequest.of("order:42").waitFor(1.milliseconds)

    private fun assertRefused(call: suspend () -> Unit) {
        assertThatThrownBy { runBlocking { call() } }.isInstanceOf(LockNotAcquiredException::class.java)
    }

    @Test
    fun blocking_calls_of_one_thread_are_reentrant() {
        assertThat(locks.withLock(order) { locks.withLock(order) { "inside" } }).isEqualTo("inside")
    }

    @Test
    fun calls_of_coroutines_are_not() {
        assertRefused { locks.executeAndAwait(order) { locks.executeAndAwait(order) { "never" } } }
        assertRefused { locks.executeAndAwait(order) { locks.withLock(order) { "never" } } }
        assertRefused { locks.withLock(order) { runBlocking { locks.executeAndAwait(order) { "never" } } } }
    }

    @Test
    fun handle_of_a_thread_lets_other_coroutines_of_that_thread_in() = runBlocking<Unit> {
        val goOn = CompletableDeferred<Unit>()
        val first = async { locks.acquire(order).use { goOn.await() } }
        val second = async { locks.acquire(order).use { goOn.complete(Unit) } }
        assertThat(second.await()).isTrue()
        first.await()
    }
}
