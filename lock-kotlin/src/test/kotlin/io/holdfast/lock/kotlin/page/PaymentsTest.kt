package io.holdfast.lock.kotlin.page

import io.holdfast.lock.api.LockNotAcquiredException
import io.holdfast.lock.spring.test.AutoConfigureTestLocks
import io.holdfast.lock.spring.test.TestLocks
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.boot.test.context.SpringBootTest

@SpringBootApplication class PaymentsApplication

@SpringBootTest
@AutoConfigureTestLocks
class PaymentsTest @Autowired constructor(val payments: Payments, val testLocks: TestLocks) {

    private val order = Order(OrderId(42), listOf("book"))

    @Test
    fun `second payment at the same time is refused`() {
        testLocks.holdElsewhere("order:42").use {
            assertThrows<LockNotAcquiredException> { runBlocking { payments.pay(order) } }
        }
    }

    @Test
    fun `payment has a token`() = runBlocking<Unit> {
        assertTrue(payments.pay(order).token > 0)
    }

    @Test
    fun lines_are_there() = runBlocking<Unit> { assertEquals(order.lines, payments.lines(order).toList()) }

    @Test
    fun settlement_is_skipped(@Autowired ledger: Ledger) = runBlocking<Unit> {
        testLocks.holdElsewhere("settle").use { payments.settle() }
        assertEquals(0, ledger.settlements.get())
        payments.settle()
        assertEquals(1, ledger.settlements.get())
    }
}
