package io.holdfast.lock.kotlin

import io.holdfast.lock.api.LocalLocks
import io.holdfast.lock.api.LockEvent
import io.holdfast.lock.api.LockListener
import io.holdfast.lock.api.LockTemplate
import io.holdfast.lock.engine.LockEngineBuilder
import io.holdfast.lock.spring.annotation.DistributedLock
import io.holdfast.lock.spring.autoconfigure.LockEngineBuilderCustomizer
import io.holdfast.lock.spring.test.AutoConfigureTestLocks
import io.micrometer.observation.Observation
import io.micrometer.observation.ObservationRegistry
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor
import io.micrometer.observation.tck.TestObservationRegistry
import io.micrometer.observation.tck.TestObservationRegistryAssert
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.reactor.mono
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import
import reactor.core.publisher.Mono

/** As in WebFlux, whose requests put their observation into the context of Reactor. */
@SpringBootTest(properties = ["spring.main.banner-mode=off"], webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureTestLocks
@Timeout(60)
class ObservedFunctionsTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders::class, Traces::class)
    open class Application {

        @Bean open fun observations(): ObservationRegistry = TestObservationRegistry.create()
    }

    open class Orders {

        open val packed = CompletableDeferred<Unit>()

        @DistributedLock(name = "order", key = "#id") open suspend fun pay(id: Long): String = "paid $id"

        @DistributedLock(name = "order", key = "#id", waitFor = 60)
        open suspend fun ship(id: Long): String {
            packed.await()
            return "shipped $id"
        }
    }

    /** Stands for a tracer, whose spans have the names of their observations. */
    open class Traces(private val observations: ObservationRegistry) : LockEngineBuilderCustomizer, LockListener {

        val waitedFor = CopyOnWriteArrayList<String>()

        override fun customize(builder: LockEngineBuilder) {
            builder.traceparent {
                observations.currentObservation?.context?.name?.takeIf { it.length == 1 }?.let {
                    "00-${id(it)}-${it.repeat(16)}-01"
                }
            }
        }

        override fun onEvent(event: LockEvent) {
            if (event is LockEvent.Acquired) {
                event.blockedBy().flatMap { it.traceId() }.ifPresent(waitedFor::add)
            }
        }

        fun id(name: String) = name.repeat(32)
    }

    @Autowired private lateinit var orders: Orders
    @Autowired private lateinit var observations: ObservationRegistry
    @Autowired private lateinit var traces: Traces
    @Autowired private lateinit var locks: LockTemplate
    @Autowired private lateinit var local: LocalLocks

    private fun observed(request: Observation, call: suspend () -> String): Mono<String> =
        mono { call() }.contextWrite { it.put(ObservationThreadLocalAccessor.KEY, request) }

    private fun traceOfHolder(): String? =
        locks.inspect("order:43").holder().flatMap { it.traceId() }.orElse(null)

    @Test
    fun `acquisition belongs to the observation of the request`() {
        val request = Observation.start("request", observations)
        val paid = observed(request) { orders.pay(42) }.block()
        request.stop()

        assertThat(paid).isEqualTo("paid 42")
        TestObservationRegistryAssert.assertThat(observations as TestObservationRegistry)
            .hasObservationWithNameEqualTo("holdfast.acquire")
            .that()
            .hasParentObservationEqualTo(request)
    }

    @Test
    fun `suspended caller holds the lock in its trace, and waits for that of the holder`() {
        val first = observed(Observation.start("1", observations)) { orders.ship(43) }.toFuture()
        await().until { traceOfHolder() == traces.id("1") }
        val second = observed(Observation.start("2", observations)) { orders.ship(43) }.toFuture()
        await().until { local.waiting().size == 1 }
        orders.packed.complete(Unit)

        assertThat(listOf(first, second).map { it.get(60, TimeUnit.SECONDS) }).containsOnly("shipped 43")
        assertThat(traces.waitedFor).containsExactly(traces.id("1"))
    }
}
