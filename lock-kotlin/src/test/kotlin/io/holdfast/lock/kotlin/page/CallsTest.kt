package io.holdfast.lock.kotlin.page

import io.holdfast.lock.api.LockRequest
import io.holdfast.lock.api.LockResult
import io.holdfast.lock.kotlin.*
import io.holdfast.lock.kotlin.InMemoryLocks
import java.util.concurrent.CompletableFuture
import java.util.function.Function
import java.util.function.Supplier
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** The calls of the page. */
class CallsTest : InMemoryLocks() {

    private val id = 42L
    private val told = ArrayList<Any?>()

    private fun charge(id: Long, token: Long = 0): String = "receipt $id $token"

    private fun report() = "report"

    private fun build(token: Long = 0): CompletableFuture<String> = CompletableFuture.completedFuture("report $token")

    private suspend fun book(id: Long, token: Long): String = "receipt $id $token"

    @Test
    fun blocking() {
        val receipt = locks.withLock("order:$id") { charge(id) }

        val request = LockRequest.of("order:$id").lease(10.seconds).waitFor(2.seconds)
        val other = locks.withLock(request) { lock -> charge(id, lock.fencingToken()) }

        when (val outcome = locks.tryWithLock("nightly") { report() }) {
            is LockResult.Executed -> told.add(outcome.value)
            is LockResult.NotAcquired -> told.add("${outcome.key} is held by ${outcome.holder}")
        }

        locks.acquire("stock:7").use { lock -> told.add(lock.fencingToken()) }
        assertThat(told).hasSize(2).contains("report")
        assertThat(listOf(receipt, other)).allMatch { it.startsWith("receipt 42") }
    }

    @Test
    fun times() {
        val patient = LockRequest.of("nightly").waitFor(Duration.INFINITE)
        val gotIt = locks.getLock(patient).tryLock(2.seconds)
        locks.ensureHeld(10.seconds)
        assertThat(gotIt).isTrue()
        locks.getLock("nightly").unlock()
    }

    @Test
    fun futures() {
        val built = locks.executeAsync("report", Supplier { build() })
        val numbered = locks.executeAsync("report", Function { lock -> build(lock.fencingToken()) })
        assertThat(built.join()).isEqualTo("report 0")
        assertThat(numbered.join()).startsWith("report ")
    }

    private suspend fun pay(id: Long): String =
        locks.executeAndAwait("order:$id") { lock -> book(id, lock.fencingToken()) }

    @Test
    fun coroutines() = runBlocking<Unit> {
        val receipt = locks.tryExecuteAndAwait("order:$id") { lock -> book(id, lock.fencingToken()) }
        assertThat(receipt.executed()).isTrue()
        assertThat(pay(7)).startsWith("receipt 7")
    }
}
