package io.holdfast.lock.kotlin

import io.holdfast.lock.api.LockTemplate
import io.holdfast.lock.engine.LockEngine
import io.holdfast.lock.memory.InMemoryLockStore
import org.junit.jupiter.api.AfterEach

/** Two clients of one store in memory. */
abstract class InMemoryLocks {

    private val store = InMemoryLockStore()
    private val engine = LockEngine.builder(store).build()
    private val otherEngine = LockEngine.builder(store).build()

    val locks: LockTemplate = engine
    val others: LockTemplate = otherEngine

    @AfterEach
    fun close() {
        engine.close()
        otherEngine.close()
    }

    fun isHeld(key: String): Boolean = others.tryAcquire(key).map { it.close() }.isEmpty
}
