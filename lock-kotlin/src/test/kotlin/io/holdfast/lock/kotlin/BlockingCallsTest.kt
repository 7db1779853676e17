package io.holdfast.lock.kotlin

import io.holdfast.lock.api.LockNotAcquiredException
import io.holdfast.lock.api.LockRequest
import io.holdfast.lock.api.LockResult
import java.io.IOException
import java.time.Duration as JavaDuration
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test

/** How calls read in Kotlin, with nullness checked by the compiler. */
class BlockingCallsTest : InMemoryLocks() {

    private val request = LockRequest.of("order:42")

    @Test
    fun work_runs_under_the_lock() {
        var held = false
        locks.withLock("order:42") { held = isHeld("order:42") }
        assertThat(held).isTrue()
        assertThat(isHeld("order:42")).isFalse()
    }

    @Test
    fun result_has_the_type_of_the_work() {
        val length: Int = locks.withLock("order:42") { "receipt".length }
        val nothing: String? = locks.withLock(request) { null }
        assertThat(length).isEqualTo(7)
        assertThat(nothing).isNull()
    }

    @Test
    fun work_is_given_the_lock() {
        val token: Long = locks.withLock(request) { lock -> lock.fencingToken() }
        assertThat(token).isPositive()
    }

    @Test
    fun work_may_be_a_function() {
        fun charge(): String = "receipt"
        val work = { _: Any -> charge() }
        assertThat(locks.withLock("order:42", work)).isEqualTo("receipt")
    }

    @Test
    fun checked_exceptions_pass() {
        assertThatThrownBy { locks.withLock("order:42") { throw IOException("disk full") } }
            .isInstanceOf(IOException::class.java)
        assertThat(isHeld("order:42")).isFalse()
    }

    @Test
    fun lock_that_is_not_free_in_time_is_an_exception() {
        others.acquire("order:42").use {
            assertThatThrownBy { locks.withLock(request.waitFor(1.milliseconds)) { "never" } }
                .isInstanceOf(LockNotAcquiredException::class.java)
        }
    }

    @Test
    fun result_of_a_try_is_null_if_it_did_not_run() {
        val done: String? = locks.tryWithLock("order:42") { "done" }.getOrNull()
        assertThat(done).isEqualTo("done")
        others.acquire("order:42").use {
            assertThat(locks.tryWithLock("order:42") { "done" }.getOrNull()).isNull()
        }
    }

    @Test
    fun outcome_of_a_try_is_one_of_two() {
        fun reported(outcome: LockResult<String>): String =
            when (outcome) {
                is LockResult.Executed -> outcome.value
                is LockResult.NotAcquired -> "taken: ${outcome.key}"
            }
        assertThat(reported(locks.tryWithLock("order:42") { "done" })).isEqualTo("done")
        others.acquire("order:42").use {
            assertThat(reported(locks.tryWithLock("order:42") { "done" })).isEqualTo("taken: order:42")
            assertThat(locks.tryWithLock(request) { "done" }.orElseGet { "else" }).isEqualTo("else")
        }
    }

    @Test
    fun handle_is_closed_by_use() {
        locks.acquire("order:42").use { lock ->
            lock.extend(1.minutes)
            lock.ensureHeld()
            assertThat(lock.remaining()).isGreaterThan(JavaDuration.ofSeconds(31))
        }
        assertThat(isHeld("order:42")).isFalse()
    }

    @Test
    fun times_are_those_of_kotlin_too() {
        val timed =
            request.lease(10.seconds).waitFor(2.seconds).minHold(1.seconds).maxHold(1.minutes).outageTolerance(9.seconds)
        assertThat(timed.lease()).contains(JavaDuration.ofSeconds(10))
        assertThat(timed.waitFor()).contains(JavaDuration.ofSeconds(2))
        assertThat(timed.minHold()).contains(JavaDuration.ofSeconds(1))
        assertThat(timed.maxHold()).contains(JavaDuration.ofMinutes(1))
        assertThat(timed.outageTolerance()).contains(JavaDuration.ofSeconds(9))
    }

    @Test
    fun infinite_wait_is_one_without_limit() {
        assertThat(request.waitFor(Duration.INFINITE)).isEqualTo(request.waitFor(LockRequest.MAX_TIME))
        assertThatThrownBy { request.waitFor(-Duration.INFINITE) }.isInstanceOf(IllegalArgumentException::class.java)
    }

    @Test
    fun view_waits_by_a_duration_of_kotlin() {
        val view = locks.getLock("order:42")
        others.acquire("order:42").use { assertThat(view.tryLock(1.milliseconds)).isFalse() }
        assertThat(view.tryLock(Duration.INFINITE)).isTrue()
        view.unlock()
    }

    @Test
    fun locks_of_the_thread_last_for_a_duration_of_kotlin() {
        locks.acquire("order:42").use { lock ->
            locks.ensureHeld(2.minutes)
            assertThat(lock.remaining()).isGreaterThan(JavaDuration.ofSeconds(61))
        }
    }
}
