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
import org.slf4j.LoggerFactory

/** The calls of the page. */
class CallsTest : InMemoryLocks() {

    private val id = 42L
    private val log = LoggerFactory.getLogger(javaClass)
    private val published = ArrayList<Any>()

    private fun publish(report: String) {
        published.add(report)
    }

    private fun reserve(article: Int, token: Long) {
        assertThat(token).isPositive()
        published.add(article)
    }

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
            is LockResult.Executed -> publish(outcome.value)
            is LockResult.NotAcquired -> log.info("{} is held by {}", outcome.key, outcome.holder)
        }

        locks.acquire("stock:7").use { lock -> reserve(7, lock.fencingToken()) }
        assertThat(published).containsExactly("report", 7)
        assertThat(listOf(receipt, other)).allMatch { it.startsWith("receipt 42") }
    }

    @Test
    fun times() {
        val patient = LockRequest.of("nightly").waitFor(Duration.INFINITE)
        locks.withLock(patient) { report() }
        assertThat(patient.waitFor()).isPresent()
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
