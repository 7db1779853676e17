package io.holdfast.lock.spring.result;

import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.coroutine.SuspendFunctions;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;

/** What a locked method returns: a value that is available immediately, or something whose completion ends the work. */
public enum ResultKind {
    /** A value that is available immediately. */
    VALUE,
    /** A stage, possibly declared as a future, whose completion ends the work. */
    STAGE,
    /** The result of a suspend function, whose coroutine does the work. */
    SUSPENDED,
    /** A reactive type, whose subscription begins the work, and whose completion ends it. */
    PUBLISHER;

    /**
     * Types whose work is done elsewhere after the method has returned. Only the declared type counts: an application's own
     * command may be a Callable.
     */
    private static final Set<String> LATER = Set.of(
            "java.util.concurrent.Callable",
            "kotlinx.coroutines.Deferred",
            "kotlinx.coroutines.Job",
            "kotlinx.coroutines.flow.Flow",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.SseEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    /** The results of skipped calls, except null. */
    private static final Map<Class<?>, Object> EMPTY = Map.of(
            Optional.class, Optional.empty(),
            OptionalInt.class, OptionalInt.empty(),
            OptionalLong.class, OptionalLong.empty(),
            OptionalDouble.class, OptionalDouble.empty());

    /**
     * Looked up for the class of each value that a locked method returns. Classes of the JDK keep the result for as long as the
     * JVM lives, so it must not be an object of this library or of the application: that would keep the class loader of an
     * application that has ended.
     */
    private static final ClassValue<Boolean> IS_PUBLISHER = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return adapterOf(type) != null
                    || ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                            .anyMatch(each -> each.getName().equals("org.reactivestreams.Publisher"));
        }
    };

    private static ResultKind byType(Class<?> type) {
        if (CompletionStage.class.isAssignableFrom(type) || Future.class.isAssignableFrom(type)) {
            return STAGE;
        }
        return IS_PUBLISHER.get(type) ? PUBLISHER : VALUE;
    }

    private static @Nullable ReactiveAdapter adapterOf(Class<?> type) {
        return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
    }

    /**
     * {@return what a method returns}
     *
     * @param method the annotated method
     * @param userClass the class of the bean
     * @param where the annotated element, for messages
     * @throws LockConfigurationException if the work would continue after the method has returned, and nothing would reveal its
     *     end
     */
    public static ResultKind of(Method method, Class<?> userClass, String where) {
        boolean suspending = KotlinDetector.isSuspendingFunction(method);
        Class<?> type = suspending
                ? SuspendFunctions.declaredType(method)
                : GenericTypeResolver.resolveReturnType(method, userClass);
        ResultKind kind = byType(type);
        if (suspending) {
            requireSupport(where);
            if (kind != VALUE || LATER.contains(type.getName())) {
                throw new LockConfigurationException(
                        where + " is a suspend function that returns a " + type.getName()
                                + ", which is not supported: the lock would be held until the function returns, not"
                                + " until that result completes.",
                        "Remove suspend, or return the value itself.");
            }
            return SUSPENDED;
        }
        if (kind == PUBLISHER && !isPresent("reactor.core.publisher.Flux")) {
            throw new LockConfigurationException(
                    where + " returns a " + type.getName()
                            + ", which can only be locked with Reactor on the classpath.",
                    "Add io.projectreactor:reactor-core to the application.");
        }
        ReactiveAdapter adapter = adapterOf(type);
        boolean canBeFollowed = switch (kind) {
            case STAGE -> type.isAssignableFrom(CompletableFuture.class);
            case PUBLISHER ->
                adapter != null
                        && adapter.getDescriptor().isDeferred()
                        && type.isAssignableFrom(adapter.getReactiveType());
            default -> !LATER.contains(type.getName());
        };
        if (!canBeFollowed) {
            throw new LockConfigurationException(
                    where + " returns a " + type.getName()
                            + ", which is not supported: the lock would be released before the work is done.",
                    "Return the value itself, a CompletableFuture or CompletionStage, or a Mono or Flux; or use"
                            + " LockTemplate inside the method. In Kotlin, write a suspend function, or return a"
                            + " Deferred or a Flow with org.jetbrains.kotlinx:kotlinx-coroutines-reactor.");
        }
        return kind;
    }

    /** Without coroutine support for Reactor, a proxy does not await what interceptors return. */
    private static void requireSupport(String where) {
        if (!isPresent("kotlinx.coroutines.reactor.MonoKt")
                || !isPresent("kotlin.reflect.full.KCallables")
                || SuspendSupport.PROVIDED == null) {
            throw new LockConfigurationException(
                    where + " is a suspend function, but not all libraries that this needs are on the classpath.",
                    "Add io.holdfast:lock-kotlin, org.jetbrains.kotlinx:kotlinx-coroutines-reactor and"
                            + " org.jetbrains.kotlin:kotlin-reflect to the application.");
        }
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, ResultKind.class.getClassLoader());
    }

    /**
     * Work that hides behind a wider return type, such as Object, would continue without the lock.
     *
     * @param result what the method returned
     * @param caller the method, for messages
     * @return the result
     * @throws IllegalStateException if it is a future or a reactive type
     */
    public static @Nullable Object requireValue(@Nullable Object result, String caller) {
        if (result != null && byType(result.getClass()) != VALUE) {
            throw new IllegalStateException(
                    caller + " is locked, but returned a " + result.getClass().getName()
                            + " that its return type does not declare, so the lock is released before the work is"
                            + " done. Declare that type as the return type.");
        }
        return result;
    }

    /**
     * {@return the type that a method returns to interceptors of its calls}
     *
     * @param method the annotated method
     * @param userClass the class of the bean
     */
    public static Class<?> typeOf(Method method, Class<?> userClass) {
        return KotlinDetector.isSuspendingFunction(method)
                ? Mono.class
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
        return KotlinDetector.isSuspendingFunction(method) || byType(type) == PUBLISHER;
    }

    /**
     * {@return whether a skipped call has something to return}
     *
     * @param method the annotated method
     * @param type what it returns
     */
    public static boolean canBeSkipped(Method method, Class<?> type) {
        if (type.isPrimitive()) {
            return type == void.class;
        }
        if (byType(type) != VALUE && !KotlinDetector.isSuspendingFunction(method)) {
            ReactiveAdapter adapter = adapterOf(type);
            return adapter == null || adapter.supportsEmpty();
        }
        return EMPTY.containsKey(type) || !SuspendFunctions.isNeverNull(method);
    }

    /**
     * {@return what a skipped call returns; null represents a future of null or an empty publisher}
     *
     * @param type what the method returns
     */
    public static @Nullable Object skipped(Class<?> type) {
        return EMPTY.get(type);
    }
}
