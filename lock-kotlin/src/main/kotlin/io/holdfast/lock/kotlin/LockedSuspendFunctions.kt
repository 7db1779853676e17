package io.holdfast.lock.kotlin

import io.holdfast.lock.api.LockHandle
import io.holdfast.lock.api.LockLostException
import io.holdfast.lock.spring.LockContext
import io.holdfast.lock.spring.result.LockedCall
import io.holdfast.lock.spring.result.SubscriberObservation
import io.holdfast.lock.spring.result.SuspendSupport
import java.lang.reflect.Method
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.ConcurrentHashMap
import java.util.function.Function
import java.util.function.Supplier
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.Continuation
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.coroutineContext
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.ThreadContextElement
import kotlinx.coroutines.asExecutor
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.withContext
import org.reactivestreams.Publisher
import org.springframework.core.CoroutinesUtils
import reactor.core.publisher.Mono
import reactor.util.context.ContextView

/**
 * Suspend functions with `@DistributedLock`. Between a proxy and the function, Spring's interceptors see a `Mono`, which the
 * proxy awaits. This class runs the function as [executeAndAwait] does.
 *
 * Spring runs the function in a coroutine without a parent, which it forgets as soon as the caller is cancelled, although the
 * function's `finally` block may run for a long time. Two things keep the caller and the function together:
 *
 * * The function's coroutine carries [CurrentLock], which sees each coroutine before the coroutine runs on a thread. So the first
 *   one, which has no parent, is known before it does anything, and can be awaited. The same applies to the coroutines of other
 *   beans with proxies that the function calls.
 * * The caller's coroutine gets a child, which does nothing and ends after the release. So code that joins the caller, or leaves
 *   `withTimeout`, continues when the lock is free.
 */
internal class LockedSuspendFunctions : SuspendSupport {

    override fun run(call: LockedCall): Any {
        val caller = contextOf(call.invocation().arguments.last())
        return mono(caller.minusKey(Job)) {
            val released = Job()
            caller[Job]?.let { job ->
                CoroutineScope(job + Dispatchers.Unconfined).launch(start = CoroutineStart.UNDISPATCHED) {
                    withContext(NonCancellable) { released.join() }
                }
            }
            try {
                locked(call)
            } finally {
                released.complete()
            }
        }
    }

    /** Calls it as Spring itself calls a suspend function: in the caller's coroutine context, and cancelled through the Mono. */
    override fun call(function: Method, target: Any?, continuation: Any?, arguments: Array<out Any?>): Any =
        CoroutinesUtils.invokeSuspendingFunction(contextOf(continuation).minusKey(Job), function, target, *arguments)

    private fun contextOf(continuation: Any?): CoroutineContext = (continuation as Continuation<*>).context

    private suspend fun locked(call: LockedCall): Any? {
        var begun = false
        var outcome: Result<Any?>? = null
        val observed = coroutineContext[ReactorContext]?.context
        try {
            return awaitExecution({ acquire(call, it, observed) }) { lock ->
                begun = true
                runCatching { underLock(call, lock) }.also { outcome = it }.getOrThrow()
            }
        } catch (cancelled: CancellationException) {
            throw cancelled
        } catch (lost: LockLostException) {
            val known = outcome ?: throw lost
            call.outcome(known.exceptionOrNull(), lost)?.let { throw it }
            return known.getOrThrow()
        } catch (failure: Throwable) {
            if (begun) throw failure
            return awaited(call.refused(failure))
        }
    }

    /** Belongs to the observation in Reactor's context, such as that of a request. */
    private fun acquire(
        call: LockedCall,
        work: Function<LockHandle, CompletableFuture<Any?>>,
        observed: ContextView?,
    ): CompletableFuture<Any?> {
        // A loss cancels the function in any case; see underLock.
        val request = call.request().interruptOnLoss(false)
        val acquisition = Supplier { call.template().executeAsync(request, work) }
        return if (observed == null) acquisition.get() else SubscriberObservation.call(observed, acquisition)
    }

    private suspend fun underLock(call: LockedCall, lock: LockHandle): Any? = coroutineScope {
        val current = CurrentLock(lock)
        val function = async {
            val arguments = call.invocation().arguments.copyOf()
            arguments[arguments.size - 1] = ContextOnly(coroutineContext + current)
            awaited(call.runElsewhere(lock, arguments))
        }
        if (!call.toleratesLoss()) {
            lock.onLost { Dispatchers.Default.asExecutor().execute { function.cancel() } }
        }
        try {
            function.await()
        } finally {
            withContext(NonCancellable) { current.awaitCoroutines() }
        }
    }

    /** Advice further inside, such as a cache, may return a result in place of the function: the value itself, or a future. */
    private suspend fun awaited(result: Any?): Any? =
        when (result) {
            is Publisher<*> -> Mono.from(result).awaitSingleOrNull()
            is CompletionStage<*> -> result.await()
            else -> result
        }

    /** Spring reads only the context; nothing resumes this continuation. */
    private class ContextOnly(override val context: CoroutineContext) : Continuation<Any?> {
        override fun resumeWith(result: Result<Any?>) = error("resumed instead of the Mono")
    }

    /** Makes the lock the current one on whichever thread the coroutine runs, while it runs there. */
    private class CurrentLock(private val lock: LockHandle) :
        AbstractCoroutineContextElement(Key), ThreadContextElement<LockContext.Scope> {

        companion object Key : CoroutineContext.Key<CurrentLock>

        private val coroutines = ConcurrentHashMap.newKeySet<Job>()

        /** Only coroutines without a parent are tracked: any other ends before its parent does. */
        @OptIn(ExperimentalCoroutinesApi::class)
        override fun updateThreadContext(context: CoroutineContext): LockContext.Scope {
            val root = context[Job]?.takeIf { it.parent == null && coroutines.add(it) }
            root?.invokeOnCompletion { coroutines.remove(root) } // the function may call many others
            return LockContext.open(lock)
        }

        override fun restoreThreadContext(context: CoroutineContext, oldState: LockContext.Scope) = oldState.close()

        suspend fun awaitCoroutines() {
            while (true) {
                (coroutines.firstOrNull { !it.isCompleted } ?: return).join()
            }
        }
    }
}
