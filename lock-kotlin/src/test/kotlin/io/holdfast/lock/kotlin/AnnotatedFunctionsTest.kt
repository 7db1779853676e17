package io.holdfast.lock.kotlin

import io.holdfast.lock.api.LockNotAcquiredException
import io.holdfast.lock.spring.annotation.DistributedLock
import io.holdfast.lock.spring.LockContext
import io.holdfast.lock.spring.annotation.OnContention
import io.holdfast.lock.spring.test.AutoConfigureTestLocks
import io.holdfast.lock.spring.test.TestLocks
import java.io.IOException
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import

/** Suspend functions, and functions that return a Flow. All coroutines of a test share its one thread. */
@SpringBootTest(properties = ["spring.main.banner-mode=off"], webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureTestLocks
@Timeout(60)
class AnnotatedFunctionsTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders::class)
    open class Application

    /** What happens in [Orders], whose own properties are not those of its proxy. */
    class Journal {
        val inside = AtomicInteger()
        val most = AtomicInteger()
        val begun = CompletableDeferred<Unit>()
        val ended = CompletableDeferred<Throwable>()
    }

    open class Orders {

        @DistributedLock(name = "order", key = "#id", waitForString = "5m")
        open suspend fun pay(id: Long, journal: Journal): String {
            journal.most.accumulateAndGet(journal.inside.incrementAndGet(), Math::max)
            repeat(5) { yield() }
            journal.inside.decrementAndGet()
            return "receipt $id"
        }

        @DistributedLock(name = "order", key = "#id")
        open suspend fun nothing(id: Long) {
            yield()
        }

        @DistributedLock(name = "order", key = "#p0", onContention = OnContention.SKIP)
        open suspend fun receiptOf(id: Long): String? {
            yield()
            return "receipt $id"
        }

        @DistributedLock(name = "order", key = "#id", onContention = OnContention.SKIP)
        open suspend fun count(id: Long, journal: Journal) {
            yield()
            journal.inside.incrementAndGet()
        }

        @DistributedLock(name = "order", key = "#id", waitFor = 0)
        open suspend fun impatient(id: Long): String = "receipt $id"

        @DistributedLock(name = "order", key = "#id")
        open suspend fun failing(id: Long): String {
            yield()
            throw IOException("disk full: $id")
        }

        @DistributedLock(name = "order", key = "#id")
        open suspend fun endless(id: Long, journal: Journal) {
            journal.begun.complete(Unit)
            try {
                awaitCancellation()
            } catch (e: Throwable) {
                journal.ended.complete(e)
                throw e
            }
        }

        @DistributedLock(name = "order", key = "#id")
        open suspend fun tokens(id: Long): List<Long> {
            val first = token()
            val elsewhere = withContext(Dispatchers.Default) { token() }
            yield()
            return listOf(first, elsewhere, token())
        }

        private fun token() = LockContext.current().orElseThrow().fencingToken()

        @DistributedLock(name = "order", key = "#id", waitFor = 0, fallbackMethod = "later")
        open suspend fun withPlainFallback(id: Long): String = "receipt $id"

        @Suppress("unused")
        private fun later(id: Long, refused: LockNotAcquiredException): String = "later $id, ${refused.key()}"

        @DistributedLock(name = "order", key = "#id", waitFor = 0, fallbackMethod = "muchLater")
        open suspend fun withSuspendingFallback(id: Long): String = "receipt $id"

        @Suppress("unused")
        suspend fun muchLater(id: Long): String {
            yield()
            return "much later $id"
        }

        @DistributedLock(name = "order", key = "#id", waitFor = 0, fallbackMethod = "failingLater")
        open suspend fun withFailingFallback(id: Long): String = "receipt $id"

        @Suppress("unused")
        private fun failingLater(id: Long): String = throw IOException("not now: $id")

        @DistributedLock(name = "order", key = "#id", waitFor = 0)
        open fun lines(id: Long, isHeld: () -> Boolean): Flow<Boolean> = flow {
            emit(isHeld())
            yield()
            emit(isHeld())
        }
    }

    @Autowired lateinit var orders: Orders
    @Autowired lateinit var testLocks: TestLocks
    private val journal = Journal()

    @Test
    fun calls_of_one_thread_exclude_each_other() = runBlocking<Unit> {
        val receipts = coroutineScope { List(20) { async { orders.pay(42, journal) } }.awaitAll() }
        assertThat(receipts).containsOnly("receipt 42")
        assertThat(journal.most.get()).isEqualTo(1)
        assertThat(testLocks.heldKeys()).isEmpty()
    }

    @Test
    fun calls_with_different_keys_run_at_the_same_time() = runBlocking<Unit> {
        val one = launch { orders.endless(1, journal) }
        journal.begun.await()
        assertThat(orders.pay(2, journal)).isEqualTo("receipt 2")
        one.cancelAndJoin()
    }

    @Test
    fun function_may_return_nothing_or_null() = runBlocking<Unit> {
        orders.nothing(42)
        assertThat(orders.receiptOf(42)).isEqualTo("receipt 42")
        testLocks.holdElsewhere("order:42").use { assertThat(orders.receiptOf(42)).isNull() }
    }

    @Test
    fun function_that_returns_nothing_may_be_skipped() = runBlocking<Unit> {
        orders.count(42, journal)
        testLocks.holdElsewhere("order:42").use { orders.count(42, journal) }
        assertThat(journal.inside.get()).isEqualTo(1)
    }

    @Test
    fun contention_and_failures_reach_the_caller_as_they_are() {
        assertThatThrownBy { runBlocking { orders.failing(42) } }
            .isInstanceOf(IOException::class.java)
            .hasMessage("disk full: 42")
        testLocks.holdElsewhere("order:42").use {
            assertThatThrownBy { runBlocking { orders.impatient(42) } }
                .isInstanceOf(LockNotAcquiredException::class.java)
                .hasMessageContaining("Orders.impatient")
        }
        assertThat(testLocks.heldKeys()).isEmpty()
    }

    @Test
    fun cancel_ends_the_function_and_releases_the_lock() = runBlocking<Unit> {
        val call = launch { orders.endless(42, journal) }
        journal.begun.await()
        assertThat(testLocks.isHeld("order:42")).isTrue()
        call.cancelAndJoin()
        assertThat(journal.ended.await()).isInstanceOf(CancellationException::class.java)
        await().until { !testLocks.isHeld("order:42") }
    }

    @Test
    fun lock_is_the_current_one_in_the_coroutine_on_whichever_thread() = runBlocking<Unit> {
        val tokens = orders.tokens(42)
        assertThat(tokens.distinct()).hasSize(1)
        assertThat(tokens).hasSize(3)
        assertThat(LockContext.current()).isEmpty()
    }

    @Test
    fun fallback_may_be_plain_or_suspend() = runBlocking<Unit> {
        testLocks.holdElsewhere("order:42").use {
            assertThat(orders.withPlainFallback(42)).isEqualTo("later 42, order:42")
            assertThat(orders.withSuspendingFallback(42)).isEqualTo("much later 42")
            assertThat(runCatching { orders.withFailingFallback(42) }.exceptionOrNull())
                .isInstanceOf(IOException::class.java)
                .hasMessage("not now: 42")
        }
        assertThat(orders.withPlainFallback(42)).isEqualTo("receipt 42")
    }

    @Test
    fun flow_is_locked_while_it_is_produced() = runBlocking<Unit> {
        val held = orders.lines(42) { testLocks.isHeld("order:42") }.toList()
        assertThat(held).containsExactly(true, true)
        assertThat(testLocks.heldKeys()).isEmpty()
        val refused = orders.lines(42) { true }
        testLocks.holdElsewhere("order:42").use {
            assertThat(runCatching { refused.toList() }.exceptionOrNull())
                .isInstanceOf(LockNotAcquiredException::class.java)
        }
        assertThat(refused.toList()).hasSize(2)
    }
}
