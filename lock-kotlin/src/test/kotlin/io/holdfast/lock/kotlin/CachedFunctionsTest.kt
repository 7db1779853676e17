package io.holdfast.lock.kotlin

import io.holdfast.lock.spring.annotation.DistributedLock
import io.holdfast.lock.spring.annotation.OnContention
import io.holdfast.lock.spring.test.AutoConfigureTestLocks
import io.holdfast.lock.spring.test.TestLocks
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.cache.CacheManager
import org.springframework.cache.annotation.Cacheable
import org.springframework.cache.annotation.EnableCaching
import org.springframework.cache.concurrent.ConcurrentMapCacheManager
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import

/** A cache inside the lock answers for the function, with what it has: no Mono, but a value or null. */
@SpringBootTest(properties = ["spring.main.banner-mode=off"], webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureTestLocks
@Timeout(60)
class CachedFunctionsTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableCaching
    @Import(Prices::class)
    open class Application {
        @Bean
        open fun caches(): CacheManager = ConcurrentMapCacheManager("prices", "discounts")
    }

    open class Prices {

        private val calls = AtomicInteger()

        open fun calls(): Int = calls.get()

        @Cacheable("prices", key = "#id")
        @DistributedLock(name = "price", key = "#id")
        open suspend fun priceOf(id: Long): String {
            yield()
            calls.incrementAndGet()
            return "price $id"
        }

        @Cacheable("discounts", key = "#id")
        @DistributedLock(name = "discount", key = "#id", onContention = OnContention.SKIP)
        open suspend fun discountOf(id: Long): String? {
            yield()
            calls.incrementAndGet()
            return null
        }
    }

    @Autowired lateinit var prices: Prices

    @Autowired lateinit var caches: CacheManager

    @Autowired lateinit var locks: TestLocks

    @Test
    fun `a cached value is the result`() = runBlocking<Unit> {
        caches.getCache("prices")!!.put(1L, "cached")
        assertThat(prices.priceOf(1)).isEqualTo("cached")
        assertThat(prices.calls()).isZero()
        assertThat(locks.heldKeys()).isEmpty()
    }

    @Test
    fun `a cached null is the result`() = runBlocking<Unit> {
        caches.getCache("discounts")!!.put(1L, null)
        assertThat(prices.discountOf(1)).isNull()
        assertThat(prices.calls()).isZero()
        assertThat(locks.heldKeys()).isEmpty()
    }

    @Test
    fun `a value is computed once`() = runBlocking<Unit> {
        assertThat(listOf(prices.priceOf(2), prices.priceOf(2))).containsOnly("price 2")
        assertThat(locks.heldKeys()).isEmpty()
    }
}
