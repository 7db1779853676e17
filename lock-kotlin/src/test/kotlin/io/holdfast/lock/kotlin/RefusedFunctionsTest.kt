package io.holdfast.lock.kotlin

import io.holdfast.lock.api.LockStoreException
import io.holdfast.lock.spring.annotation.DistributedLock
import io.holdfast.lock.spring.LockConfigurationException
import io.holdfast.lock.spring.annotation.OnContention
import io.holdfast.lock.spring.autoconfigure.LockAopAutoConfiguration
import kotlin.reflect.KClass
import kotlinx.coroutines.Job
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.assertj.core.api.Assertions.catchThrowable
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.annotation.Configuration
import org.springframework.core.NestedExceptionUtils

/** Functions that cannot be locked as they are, and what the start of the application says of them. */
class RefusedFunctionsTest {

    @Configuration(proxyBeanMethods = false) @EnableAutoConfiguration open class Application

    private fun startOf(bean: KClass<*>) {
        SpringApplicationBuilder(Application::class.java, bean.java)
            .properties("spring.main.banner-mode=off", "spring.main.web-application-type=none", "holdfast.store=in-memory")
            .run()
            .close()
    }

    /** What the failure says, and then what it advises. */
    private fun refusalOf(bean: KClass<*>): String {
        val failure = NestedExceptionUtils.getRootCause(catchThrowable { startOf(bean) })
        assertThat(failure).isInstanceOf(LockConfigurationException::class.java)
        return "${failure!!.message} ${(failure as LockConfigurationException).action()}"
    }

    open class SkipsWithoutNull {
        @DistributedLock(key = "'nightly'", onContention = OnContention.SKIP)
        open suspend fun report(): String = "report"
    }

    open class SkipsPlainWithoutNull {
        @DistributedLock(key = "'nightly'", onContention = OnContention.SKIP)
        open fun report(): String = "report"
    }

    @Test
    fun function_that_is_skipped_must_have_something_to_return() {
        assertThat(refusalOf(SkipsWithoutNull::class))
            .contains("SKIP", "java.lang.String", "report()", "in Kotlin a nullable type")
        assertThat(refusalOf(SkipsPlainWithoutNull::class)).contains("SKIP", "java.lang.String", "report()")
    }

    open class SuspendsForFlow {
        @DistributedLock(key = "'nightly'")
        open suspend fun lines(): Flow<String> = flow { emit("line") }
    }

    @Test
    fun suspend_function_that_returns_a_flow_should_not_suspend() {
        assertThat(refusalOf(SuspendsForFlow::class))
            .contains("suspend function that returns a kotlinx.coroutines.flow.Flow", "Remove suspend")
    }

    open class UnfitFallback {
        @DistributedLock(key = "#id", fallbackMethod = "other")
        open suspend fun report(id: Long): String = "report $id"

        @Suppress("unused") fun other(id: Long): Int = id.toInt()
    }

    open class SuspendingFallback {
        @DistributedLock(key = "#id", fallbackMethod = "later")
        open fun report(id: Long): String = "report $id"

        @Suppress("unused") suspend fun later(id: Long): String = "later $id"
    }

    @Test
    fun fallback_must_fit() {
        assertThat(refusalOf(UnfitFallback::class)).contains("other(long) returns int, not String")
        assertThat(refusalOf(SuspendingFallback::class))
            .contains("later(long) is a suspend function, but the annotated method is not")
    }

    class FinalClass {
        @DistributedLock(key = "'nightly'") fun report() = Unit
    }

    open class FinalFunction {
        @DistributedLock(key = "'nightly'") fun report() = Unit
    }

    class FinalClassOfAnInterface : Runnable {
        @DistributedLock(key = "'nightly'") override fun run() = Unit
    }

    @Test
    fun what_is_final_should_be_open() {
        assertThat(refusalOf(FinalClassOfAnInterface::class))
            .contains("class is final", "open class FinalClassOfAnInterface", "kotlin-spring")
        assertThat(refusalOf(FinalClass::class))
            .contains("method is final", "open class FinalClass", "open fun report", "kotlin-spring")
        assertThat(refusalOf(FinalFunction::class)).contains("method is final", "open fun report", "kotlin-spring")
    }

    open class Hidden {
        @DistributedLock(key = "'nightly'") private fun report(): String = "report"
    }

    @Test
    fun advice_is_for_kotlin() {
        assertThat(refusalOf(Hidden::class)).contains("internal, protected or public")
    }

    open class Launches {
        @DistributedLock(key = "'nightly'") open fun report(): Job = Job()
    }

    @Test
    fun job_is_not_adapted() {
        assertThat(refusalOf(Launches::class)).contains("kotlinx.coroutines.Job", "return a Deferred")
    }

    open class Suspends {
        @DistributedLock(key = "'nightly'", fallbackMethod = "later")
        open suspend fun report(): String = "report"

        @Suppress("unused") private suspend fun later(failure: LockStoreException): String = "instead of $failure"
    }

    @Test
    fun missing_template_goes_to_no_fallback() {
        SpringApplicationBuilder(Suspends::class.java, LockAopAutoConfiguration::class.java)
            .properties("spring.main.web-application-type=none", "spring.boot.enableautoconfiguration=false")
            .run()
            .use { context ->
                assertThatThrownBy { runBlocking { context.getBean(Suspends::class.java).report() } }
                    .isInstanceOf(LockConfigurationException::class.java)
                    .hasMessageContaining("There is no LockTemplate")
            }
    }
}
