package io.holdfast.lock.kotlin

import io.holdfast.lock.spring.annotation.DistributedLock
import io.holdfast.lock.spring.test.AutoConfigureTestLocks
import io.micrometer.observation.Observation
import io.micrometer.observation.ObservationRegistry
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor
import io.micrometer.observation.tck.TestObservationRegistry
import io.micrometer.observation.tck.TestObservationRegistryAssert
import kotlinx.coroutines.reactor.mono
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import

/** As in WebFlux, whose requests put their observation into the context of Reactor. */
@SpringBootTest(properties = ["spring.main.banner-mode=off"], webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureTestLocks
@Timeout(60)
class ObservedFunctionsTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders::class)
    open class Application {

        @Bean open fun observations(): ObservationRegistry = TestObservationRegistry.create()
    }

    open class Orders {

        @DistributedLock(name = "order", key = "#id") open suspend fun pay(id: Long): String = "paid $id"
    }

    @Autowired private lateinit var orders: Orders
    @Autowired private lateinit var observations: ObservationRegistry

    @Test
    fun `acquisition belongs to the observation of the request`() {
        val request = Observation.start("request", observations)
        val paid = mono { orders.pay(42) }.contextWrite { it.put(ObservationThreadLocalAccessor.KEY, request) }.block()
        request.stop()

        assertThat(paid).isEqualTo("paid 42")
        TestObservationRegistryAssert.assertThat(observations as TestObservationRegistry)
            .hasObservationWithNameEqualTo("holdfast.acquire")
            .that()
            .hasParentObservationEqualTo(request)
    }
}
