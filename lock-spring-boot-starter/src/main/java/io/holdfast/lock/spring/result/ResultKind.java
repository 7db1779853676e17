package io.holdfast.lock.spring.result;

import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.coroutine.SuspendFunctions;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;

/** What a locked method returns: a value that is there, or something whose completion ends the work. */
public enum ResultKind {
    /** A value that is there. */
    VALUE,
    /** A stage or a future, whose completion ends the work. */
    STAGE,
    /** A reactive type, whose subscription begins the work, and whose completion ends it. */
    PUBLISHER;

    /** What Spring MVC works on after the method has returned, with all that extends it. */
    private static final Set<String> LATER = Set.of(
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    /** What goes on in a coroutine; to be locked only where Reactor's coroutines adapt it. */
    private static final Set<String> COROUTINES = Set.of("kotlinx.coroutines.flow.Flow", "kotlinx.coroutines.Job");

    /** Whose body Spring MVC works on in the same way. */
    private static final Set<String> WRAPPER = Set.of("org.springframework.http.HttpEntity");

    private static final ClassValue<Boolean> UNFINISHED = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return isFuture(type) || isLater(type) || ReactiveTypes.isReactive(type);
        }
    };

    /**
     * {@return what a method returns}
     *
     * @param method the annotated method
     * @param userClass the class of the bean
     * @param where the annotated place, for messages
     * @throws LockDefinitionException if the work would go on after the method returned, and nobody could tell until
     *     when
     */
    public static ResultKind of(Method method, Class<?> userClass, String where) {
        if (SuspendFunctions.isSuspending(method)) {
            SuspendFunctions.requireSupported(where);
            Class<?> type = SuspendFunctions.declaredType(method);
            if (UNFINISHED.get(type)) {
                throw refuseSuspending(where, type);
            }
            return PUBLISHER;
        }
        Class<?> type = GenericTypeResolver.resolveReturnType(method, userClass);
        requireOpen(ResolvableType.forMethodReturnType(method, userClass), where);
        boolean future = isFuture(type);
        boolean later = isLater(type) || type == Callable.class; // but a command of the application's own may be one
        if ((future && !type.isAssignableFrom(CompletableFuture.class)) || later) {
            throw NamedTypes.isA(type, COROUTINES)
                    ? refuseCoroutine(where, type)
                    : refuse(where, "returns a " + type.getName());
        }
        if (future) {
            return STAGE;
        }
        if (!ReactiveTypes.isReactive(type)) {
            return VALUE;
        }
        if (ReactiveTypes.isReactorMissing()) {
            throw new LockDefinitionException(
                    where + " returns a " + type.getName()
                            + ", which can only be locked with Reactor on the classpath.",
                    "Add io.projectreactor:reactor-core to the application.");
        }
        if (!ReactiveTypes.canBeMade(type)) {
            throw refuse(where, "returns a " + type.getName());
        }
        return PUBLISHER;
    }

    /** What is inside of a wrapper would be worked on without the lock, and the lock cannot go in there. */
    private static void requireOpen(ResolvableType type, String where) {
        Class<?> body = NamedTypes.isA(type.toClass(), WRAPPER) ? bodyOf(type) : Object.class;
        if (UNFINISHED.get(body)) {
            throw refuse(where, "returns a " + type);
        }
    }

    private static Class<?> bodyOf(ResolvableType wrapper) {
        ResolvableType entity = wrapper;
        while (!WRAPPER.contains(entity.toClass().getName())) {
            entity = entity.getSuperType();
        }
        return entity.getGeneric(0).resolve(Object.class);
    }

    private static boolean isFuture(Class<?> type) {
        return CompletionStage.class.isAssignableFrom(type) || Future.class.isAssignableFrom(type);
    }

    private static boolean isLater(Class<?> type) {
        return NamedTypes.isA(type, LATER) || (NamedTypes.isA(type, COROUTINES) && !ReactiveTypes.isReactive(type));
    }

    private static LockDefinitionException refuseSuspending(String where, Class<?> type) {
        String what = "is a suspend function that returns a " + type.getName();
        return isLater(type)
                ? refuse(where, what)
                : new LockDefinitionException(
                        where + " " + what
                                + ", which is not supported: the lock would be held until the function returns, not"
                                + " until that result completes.",
                        "Remove suspend, or return the value itself.");
    }

    private static LockDefinitionException refuseCoroutine(String where, Class<?> type) {
        return new LockDefinitionException(
                where + " returns a " + type.getName() + ", which can only be locked if Reactor adapts it.",
                "Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor to the application. Even then, a Job is not adapted: return"
                        + " a Deferred, or make the method a suspend function.");
    }

    private static LockDefinitionException refuse(String where, String what) {
        return new LockDefinitionException(
                where + " " + what + ", which is not supported: the lock would be released before the work is done.",
                "Return the value itself, a CompletableFuture, CompletionStage or Future, or a Mono or Flux; or use"
                        + " LockTemplate inside the method.");
    }

    /**
     * Work that hides behind a wider return type, such as Object, would go on without the lock.
     *
     * @param result what the method returned
     * @param caller the method, for messages
     * @return the result
     * @throws IllegalStateException if it is a future, a reactive type, or what Spring MVC works on later
     */
    public static @Nullable Object requireValue(@Nullable Object result, String caller) {
        if (result != null && UNFINISHED.get(result.getClass())) {
            throw new IllegalStateException(
                    caller + " is locked, but returned a " + result.getClass().getName()
                            + " that its return type does not declare, so the lock is released before the work is"
                            + " done. Declare that type as the return type.");
        }
        return result;
    }

    /**
     * {@return what a method returns to those who intercept its calls}
     *
     * @param method the annotated method
     * @param userClass the class of the bean
     */
    public static Class<?> typeOf(Method method, Class<?> userClass) {
        return SuspendFunctions.isSuspending(method)
                ? SuspendFunctions.reactiveType()
                : GenericTypeResolver.resolveReturnType(method, userClass);
    }

    /**
     * {@return whether the work of a method begins with a subscription, and not with the call: a reactive type, or a suspend
     * function}
     *
     * @param method the annotated method
     * @param type what it returns
     */
    public static boolean isPublisher(Method method, Class<?> type) {
        return SuspendFunctions.isSuspending(method) || (!isFuture(type) && ReactiveTypes.isReactive(type));
    }

    /**
     * {@return whether a call that did not run has something to return}
     *
     * @param method the annotated method
     * @param type what it returns
     */
    public static boolean canBeSkipped(Method method, Class<?> type) {
        if (type.isPrimitive() || !ReactiveTypes.canBeEmpty(type)) {
            return type == void.class;
        }
        boolean value = SuspendFunctions.isSuspending(method) || (!isFuture(type) && !ReactiveTypes.isReactive(type));
        return !value || skipped(type) != null || !SuspendFunctions.isNeverNull(method);
    }

    /**
     * {@return what a call that did not run returns; null stands for a future of null, and for an empty publisher}
     *
     * @param type what the method returns
     */
    public static @Nullable Object skipped(Class<?> type) {
        if (type == Optional.class) {
            return Optional.empty();
        } else if (type == OptionalInt.class) {
            return OptionalInt.empty();
        } else if (type == OptionalLong.class) {
            return OptionalLong.empty();
        }
        return type == OptionalDouble.class ? OptionalDouble.empty() : null;
    }
}
