package io.holdfast.lock.kotlin.page

import io.holdfast.lock.api.LockEvent
import io.holdfast.lock.spring.annotation.DistributedLock
import io.holdfast.lock.spring.LockContext
import io.holdfast.lock.spring.annotation.OnContention
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.yield
import org.slf4j.LoggerFactory
import org.springframework.context.event.EventListener
import org.springframework.stereotype.Component
import org.springframework.stereotype.Service

data class Order(val id: OrderId, val lines: List<String>)

@JvmInline value class OrderId(val number: Long)

data class Receipt(val order: OrderId, val token: Long)

@Component
class Ledger {

    val settlements = AtomicInteger()

    suspend fun book(order: Order, token: Long): Receipt = Receipt(order.id, token)

    suspend fun settle() {
        yield()
        settlements.incrementAndGet()
    }
}

@Service
class Payments(private val ledger: Ledger) {

    @DistributedLock(name = "order", key = "#order.id")
    suspend fun pay(order: Order): Receipt {
        val lock = LockContext.current().orElseThrow()
        return ledger.book(order, lock.fencingToken())
    }

    @DistributedLock(name = "lines", key = "#order.id")
    fun lines(order: Order): Flow<String> = order.lines.asFlow()

    @DistributedLock(name = "settle", waitFor = 0, onContention = OnContention.SKIP)
    suspend fun settle() {
        ledger.settle()
    }
}

@Component
class LossAlarm {

    private val log = LoggerFactory.getLogger(javaClass)

    @EventListener
    fun onLost(loss: LockEvent.Lost) {
        log.error("Lock '{}' was lost: {}", loss.key(), loss.cause().explanation())
    }
}
