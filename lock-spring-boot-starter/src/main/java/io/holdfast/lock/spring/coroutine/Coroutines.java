package io.holdfast.lock.spring.coroutine;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.spring.annotation.LockContext;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.Callable;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.ThreadContextElement;
import org.jspecify.annotations.Nullable;
import org.springframework.core.CoroutinesUtils;
import reactor.core.publisher.Mono;

/** What needs Kotlin's coroutines, apart from {@link SuspendFunctions}, which applications without Kotlin load. */
final class Coroutines {

    static final Class<?> REACTIVE_TYPE = Mono.class;

    private Coroutines() {}

    /** As Spring itself calls a suspend function: in the caller's coroutine context, and cancelled through the Mono. */
    static Object call(
            Method function, @Nullable Object target, @Nullable Object continuation, @Nullable Object[] arguments) {
        return CoroutinesUtils.invokeSuspendingFunction(
                contextOf(continuation).minusKey(Job.Key), function, target, arguments);
    }

    static Object defer(Callable<?> call) {
        return Mono.fromCallable(call).onErrorMap(InvocationTargetException.class, Throwable::getCause);
    }

    static Object within(LockHandle lock, @Nullable Object continuation) {
        return new LockedContinuation(contextOf(continuation).plus(new CurrentLock(lock)), continuation);
    }

    private static CoroutineContext contextOf(@Nullable Object continuation) {
        return ((Continuation<?>)
                        Objects.requireNonNull(continuation, "a suspend function was called without a continuation"))
                .getContext();
    }

    /** Spring reads the context; nothing resumes it. */
    private record LockedContinuation(
            CoroutineContext context, @Nullable Object delegate) implements Continuation<Object> {

        @Override
        public CoroutineContext getContext() {
            return context;
        }

        @Override
        @SuppressWarnings("unchecked")
        public void resumeWith(Object result) {
            ((Continuation<Object>) Objects.requireNonNull(delegate)).resumeWith(result);
        }
    }

    /** Makes the lock the current one on whichever thread the coroutine runs, while it runs there. */
    private static final class CurrentLock extends AbstractCoroutineContextElement
            implements ThreadContextElement<LockContext.Scope> {

        private static final class Key implements CoroutineContext.Key<CurrentLock> {}

        private static final Key KEY = new Key();

        private final LockHandle lock;

        private CurrentLock(LockHandle lock) {
            super(KEY);
            this.lock = lock;
        }

        @Override
        public LockContext.Scope updateThreadContext(CoroutineContext context) {
            return LockContext.open(lock);
        }

        @Override
        public void restoreThreadContext(CoroutineContext context, LockContext.Scope scope) {
            scope.close();
        }
    }
}
