package io.holdfast.lock.kotlin

import io.holdfast.lock.api.LockNotAcquiredException
import io.holdfast.lock.spring.annotation.DistributedLock
import io.holdfast.lock.spring.LockContext
import io.holdfast.lock.spring.test.AutoConfigureTestLocks
import io.holdfast.lock.spring.test.TestLocks
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import

/** Functions are called as in Kotlin, whatever the compiler calls them; receivers are parameters. */
@SpringBootTest(
    properties = ["spring.main.banner-mode=off", "holdfast.locks.[Payments.hasty].wait-for=0s"],
    webEnvironment = SpringBootTest.WebEnvironment.NONE,
)
@AutoConfigureTestLocks
class KotlinNamesTest {

    @Configuration(proxyBeanMethods = false) @EnableAutoConfiguration @Import(Payments::class) open class Application

    @JvmInline value class Num(val value: Long)

    class Order(val id: Long)

    open class Payments {

        private fun keys() = LockContext.current().orElseThrow().keys().map { it.toString() }

        @DistributedLock(key = "'pay-' + #num + #root.methodName") open fun pay(num: Num) = keys()

        @DistributedLock(key = "'pay'", waitForString = "5m") open fun hasty(num: Num) = "paid $num"

        @DistributedLock(key = "'pay'", waitFor = 0) internal open fun inner(id: Long) = "paid $id"

        @DistributedLock(key = "'pay'", waitFor = 0) internal open fun innerOf(num: Num) = "paid $num"

        @DistributedLock(key = "'pay'", waitFor = 0) internal open suspend fun innerLater(num: Num) = "paid $num"

        @DistributedLock(key = "'pay'", waitFor = 0) open fun `pay by card`(id: Long) = "paid $id"

        @DistributedLock(key = "'pay'", waitFor = 0, fallbackMethod = "later")
        open fun withFallback(num: Num) = "paid ${num.value}"

        internal fun later(num: Num) = "later ${num.value}"

        @DistributedLock(name = "order", key = "#p0.id") open fun Order.pay() = keys()

        @DistributedLock(name = "order", key = "#p0.id") open suspend fun Order.payLater(): List<String> = keys()

        fun payBoth(order: Order, self: Payments) = with(self) { order.pay() + runBlocking { order.payLater() } }
    }

    @Autowired lateinit var payments: Payments
    @Autowired lateinit var testLocks: TestLocks

    private fun nameOf(call: () -> Any): String {
        val failure = runCatching { testLocks.holdElsewhere("pay").use { call() } }.exceptionOrNull()
        assertThat(failure).isInstanceOf(LockNotAcquiredException::class.java)
        return failure!!.message!!.substringAfter(" for ").substringBefore(':')
    }

    @Test
    fun definition_is_called_as_the_function() {
        assertThat(nameOf { payments.hasty(Num(1)) }).isEqualTo("Payments.hasty")
        assertThat(nameOf { payments.inner(1) }).isEqualTo("Payments.inner")
        assertThat(nameOf { payments.innerOf(Num(1)) }).isEqualTo("Payments.innerOf")
        assertThat(nameOf { runBlocking { payments.innerLater(Num(1)) } }).isEqualTo("Payments.innerLater")
        assertThat(nameOf { payments.`pay by card`(1) }).isEqualTo("Payments.pay by card")
    }

    @Test
    fun expressions_and_fallbacks_know_the_name_in_kotlin() {
        assertThat(payments.pay(Num(1))).containsExactly("pay-1pay")
        testLocks.holdElsewhere("pay").use { assertThat(payments.withFallback(Num(1))).isEqualTo("later 1") }
    }

    @Test
    fun receiver_is_the_first_parameter() {
        assertThat(payments.payBoth(Order(7), payments)).containsExactly("order:7", "order:7")
    }
}
