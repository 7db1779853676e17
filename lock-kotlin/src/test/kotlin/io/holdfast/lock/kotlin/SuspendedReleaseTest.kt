package io.holdfast.lock.kotlin

import io.holdfast.lock.api.LockLostException
import io.holdfast.lock.spring.annotation.DistributedLock
import io.holdfast.lock.spring.annotation.OnLost
import io.holdfast.lock.spring.test.AutoConfigureTestLocks
import io.holdfast.lock.spring.test.TestLocks
import java.lang.ref.WeakReference
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import

/** A suspend function that is to end keeps its lock until it has ended. */
@SpringBootTest(properties = ["spring.main.banner-mode=off"], webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureTestLocks
@Timeout(60)
class SuspendedReleaseTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders::class, Relaxed::class, Shop::class)
    open class Application

    /** Where an order is, and when it may go on. */
    class Steps {
        val begun = CompletableDeferred<Unit>()
        val tidying = CompletableDeferred<Unit>()
        val goOn = CompletableDeferred<Unit>()
    }

    open class Orders {

        @DistributedLock(name = "order", key = "#id", waitForString = "5m")
        open suspend fun ship(id: Long, steps: Steps): String {
            steps.begun.complete(Unit)
            try {
                awaitCancellation()
            } finally {
                withContext(NonCancellable) {
                    steps.tidying.complete(Unit)
                    steps.goOn.await()
                }
            }
        }
    }

    open class Relaxed {

        @DistributedLock(name = "order", key = "#id", onLost = OnLost.LOG)
        open suspend fun ship(id: Long, steps: Steps): String {
            steps.begun.complete(Unit)
            steps.goOn.await()
            return "shipped"
        }

        @DistributedLock(name = "packing", key = "#id")
        open suspend fun pack(id: Long): StringBuilder = StringBuilder().append(id)
    }

    open class Shop(private val orders: Orders, private val relaxed: Relaxed) {

        @DistributedLock(name = "shop", key = "#id")
        open suspend fun ship(id: Long, steps: Steps): String = orders.ship(id, steps)

        @DistributedLock(name = "shop", key = "#id")
        open suspend fun forgetsWhatItPacked(id: Long): Boolean {
            val packed = List(100) { WeakReference(relaxed.pack(id + it)) }
            repeat(200) {
                System.gc()
                delay(10.milliseconds)
                // A thread, or its queue of tasks, may still refer to the last ones.
                if (packed.count { it.get() != null } < 10) return true
            }
            return false
        }
    }

    @Autowired lateinit var orders: Orders
    @Autowired lateinit var relaxed: Relaxed
    @Autowired lateinit var shop: Shop
    @Autowired lateinit var testLocks: TestLocks
    private val steps = Steps()

    /** A wait that was cancelled is given up in the background. */
    @AfterEach
    fun leavesNothingBehind() {
        while (testLocks.heldKeys().isNotEmpty()) {
            Thread.sleep(1)
        }
    }

    private fun dispatcher(name: String): CoroutineDispatcher =
        if (name == "Unconfined") Dispatchers.Unconfined else Dispatchers.Default

    @ParameterizedTest
    @ValueSource(strings = ["Default", "Unconfined"])
    fun cancelled_function_keeps_its_lock_until_it_has_ended(dispatcher: String) = runBlocking<Unit> {
        val call = launch(dispatcher(dispatcher)) { orders.ship(42, steps) }
        steps.begun.await()
        call.cancel()
        steps.tidying.await()
        delay(300.milliseconds)
        assertThat(testLocks.isHeld("order:42")).isTrue()
        assertThat(call.isCompleted).isFalse()
        steps.goOn.complete(Unit)
        call.join()
        assertThat(testLocks.heldKeys()).isEmpty()
    }

    @Test
    fun locks_of_nested_functions_end_from_the_inside() = runBlocking<Unit> {
        val call = launch { shop.ship(42, steps) }
        steps.begun.await()
        call.cancel()
        steps.tidying.await()
        delay(300.milliseconds)
        assertThat(testLocks.heldKeys()).containsExactlyInAnyOrder("order:42", "shop:42")
        steps.goOn.complete(Unit)
        call.join()
    }

    @Test
    fun timeout_is_over_when_the_lock_was_released() = runBlocking<Unit> {
        steps.goOn.complete(Unit)
        val receipt = withTimeoutOrNull(200.milliseconds) { orders.ship(42, steps) }
        assertThat(receipt).isNull()
        assertThat(testLocks.heldKeys()).isEmpty()
    }

    @Test
    fun cancelled_wait_ends_at_once() = runBlocking<Unit> {
        testLocks.holdElsewhereUntilClosed("order:42").use {
            val call = launch { orders.ship(42, steps) }
            while (testLocks.waiters("order:42") == 0) {
                yield()
            }
            call.cancelAndJoin()
            assertThat(steps.begun.isCompleted).isFalse()
        }
    }

    @Test
    fun loss_is_told_when_the_function_has_ended() = runBlocking<Unit> {
        val call = async { runCatching { orders.ship(42, steps) } }
        steps.begun.await()
        testLocks.lose("order:42")
        steps.tidying.await()
        delay(300.milliseconds)
        assertThat(call.isCompleted).isFalse()
        steps.goOn.complete(Unit)
        assertThat(call.await().exceptionOrNull()).isInstanceOf(LockLostException::class.java)
    }

    @Test
    fun tolerated_loss_does_not_cancel_the_function() = runBlocking<Unit> {
        val call = async { relaxed.ship(42, steps) }
        steps.begun.await()
        testLocks.lose("order:42")
        delay(300.milliseconds)
        assertThat(call.isCompleted).isFalse()
        steps.goOn.complete(Unit)
        assertThat(call.await()).isEqualTo("shipped")
    }

    /** It may call any number. */
    @Test
    fun functions_that_were_called_are_not_remembered() = runBlocking<Unit> {
        assertThat(shop.forgetsWhatItPacked(42)).isTrue()
    }
}
