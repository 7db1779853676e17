package io.holdfast.lock.spring.coroutine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.Callable;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.Job;
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

    static LockedRun begin(@Nullable Object continuation) {
        return new CoroutineRun(contextOf(continuation));
    }

    static Object within(CoroutineContext.Element element, @Nullable Object continuation) {
        return new ExtendedContinuation(contextOf(continuation).plus(element), continuation);
    }

    private static CoroutineContext contextOf(@Nullable Object continuation) {
        return ((Continuation<?>)
                        Objects.requireNonNull(continuation, "a suspend function was called without a continuation"))
                .getContext();
    }

    /** Spring reads the context; nothing resumes it. */
    private record ExtendedContinuation(
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
}
