package io.holdfast.lock.kotlin

import io.holdfast.lock.api.LockKeyException
import io.holdfast.lock.spring.annotation.DistributedLock
import io.holdfast.lock.spring.LockContext
import io.holdfast.lock.spring.test.AutoConfigureTestLocks
import java.util.Optional
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.context.annotation.Configuration
import org.springframework.context.annotation.Import

/** The keys of value classes, which Kotlin passes as what they hold, or in a box, as it needs. */
@SpringBootTest(properties = ["spring.main.banner-mode=off"], webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureTestLocks
class ValueClassKeysTest {

    @Configuration(proxyBeanMethods = false) @EnableAutoConfiguration @Import(Keys::class) open class Application

    @JvmInline value class Num(val value: Long)

    @JvmInline value class Isbn(val text: String?)

    @JvmInline value class Nums(val all: List<Num>)

    @JvmInline value class Edition(val num: Num)

    @JvmInline private value class Secret(val num: Long)

    class Book(val num: Num, val sequel: Num?, val isbn: Isbn, private val edition: Edition) {
        fun edition() = edition
    }

    open class Keys {

        private fun keys() = LockContext.current().orElseThrow().keys().map { it.toString() }

        @DistributedLock(name = "num", key = "#num") open fun plain(num: Num) = keys()

        @DistributedLock(name = "num", key = "#num") open fun nullable(num: Num?) = keys()

        @DistributedLock(name = "num", key = "#num") open fun <T> generic(num: T) = keys()

        @DistributedLock(name = "num", keys = ["#nums"]) open fun listed(nums: List<Num>) = keys()

        @DistributedLock(name = "num", keys = ["#nums"]) open fun array(nums: Array<Num>) = keys()

        @DistributedLock(name = "num", keys = ["#nums"]) open fun wrapped(nums: Nums?) = keys()

        @DistributedLock(name = "num", key = "#num") open fun optional(num: Optional<Num>) = keys()

        @DistributedLock(name = "num", key = "#edition") open fun ofTwo(edition: Edition?) = keys()

        @DistributedLock(name = "num", key = "#book.num") open fun property(book: Book) = keys()

        @DistributedLock(name = "num", key = "#book.sequel") open fun nullableProperty(book: Book) = keys()

        @DistributedLock(name = "num", key = "'v' + #num + '-' + #num") open fun joined(num: Num?) = keys()

        @DistributedLock(name = "num", key = "'v' + #isbn") open fun joinedWithNull(isbn: Isbn) = keys()

        @DistributedLock(name = "num", key = "#p0 + 'v' + #p1.isbn") open fun <T> joinedGeneric(isbn: T, book: Book) = keys()

        @DistributedLock(name = "num", key = "parts(#num, #num)") open suspend fun suspending(num: Num?) = keys()
    }

    @Autowired lateinit var keys: Keys

    @Test
    fun value_is_one_key_in_whichever_form_it_is_passed() {
        assertThat(keys.plain(Num(5))).containsExactly("num:5")
        assertThat(keys.nullable(Num(5))).containsExactly("num:5")
        assertThat(keys.generic(Num(5))).containsExactly("num:5")
        assertThat(keys.optional(Optional.of(Num(5)))).containsExactly("num:5")
        assertThat(keys.ofTwo(Edition(Num(5)))).containsExactly("num:5")
        assertThat(keys.generic(Secret(5))).containsExactly("num:5")
        assertThat(runBlocking { keys.suspending(Num(5)) }).containsExactly("num:5:5")
    }

    @Test
    fun collection_of_values_is_a_multi_lock() {
        assertThat(keys.listed(listOf(Num(5), Num(6)))).containsExactly("num:5", "num:6")
        assertThat(keys.array(arrayOf(Num(5), Num(6)))).containsExactly("num:5", "num:6")
        assertThat(keys.wrapped(Nums(listOf(Num(5), Num(6))))).containsExactly("num:5", "num:6")
    }

    @Test
    fun property_may_be_a_value() {
        val book = Book(Num(5), Num(6), Isbn("978"), Edition(Num(1)))
        assertThat(keys.property(book)).containsExactly("num:5")
        assertThat(keys.nullableProperty(book)).containsExactly("num:6")
    }

    @Test
    fun value_may_be_joined_with_text() {
        assertThat(keys.joined(Num(5))).containsExactly("num:v5-5")
        assertThat(keys.joinedGeneric(Isbn("1"), Book(Num(5), null, Isbn("978"), Edition(Num(1)))))
            .containsExactly("num:1v978")
    }

    @Test
    fun value_of_null_is_no_key() {
        assertThatThrownBy { keys.generic(Isbn(null)) }.isInstanceOf(LockKeyException::class.java)
        assertThatThrownBy { keys.nullable(null) }.isInstanceOf(LockKeyException::class.java)
        assertThatThrownBy { keys.joinedWithNull(Isbn(null)) }.isInstanceOf(LockKeyException::class.java)
        assertThatThrownBy { keys.joinedGeneric(Isbn(null), Book(Num(5), null, Isbn("978"), Edition(Num(1)))) }
            .isInstanceOf(LockKeyException::class.java)
            .hasMessageContaining("#p0 is null")
    }

}
