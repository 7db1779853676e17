package io.holdfast.lock.spring.coroutine;

import io.holdfast.lock.spring.annotation.LockDefinitionException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.Nullness;
import org.springframework.util.ClassUtils;

/**
 * Kotlin's suspend functions. Between a proxy and the function, Spring lets interceptors see a {@code Mono}, which the proxy
 * awaits: so a suspend function is locked as a method that returns one. Its last argument, the continuation, is no argument of
 * the user's.
 */
public final class SuspendFunctions {

    private static final boolean SUPPORTED =
            isPresent("kotlinx.coroutines.reactor.MonoKt") && isPresent("kotlin.reflect.full.KCallables");

    private SuspendFunctions() {}

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, SuspendFunctions.class.getClassLoader());
    }

    /**
     * {@return whether a method is a suspend function}
     *
     * @param method any method
     */
    public static boolean isSuspending(Method method) {
        return KotlinDetector.isSuspendingFunction(method);
    }

    /**
     * {@return how many arguments the user of a method gives}
     *
     * @param method any method
     */
    public static int argumentCount(Method method) {
        return method.getParameterCount() - (isSuspending(method) ? 1 : 0);
    }

    /**
     * {@return what a method is declared to return; the type in Kotlin of a suspend function}
     *
     * @param method any method
     */
    public static Class<?> declaredType(Method method) {
        return new MethodParameter(method, -1).getParameterType();
    }

    /** {@return what interceptors see in the place of a suspend function's result: Reactor's {@code Mono}} */
    public static Class<?> reactiveType() {
        return Coroutines.REACTIVE_TYPE;
    }

    /**
     * {@return whether Kotlin says that a method never returns null; false for one that returns nothing, and for one in Java}
     *
     * @param method any method
     */
    public static boolean isNeverNull(Method method) {
        return KotlinDetector.isKotlinType(method.getDeclaringClass())
                && declaredType(method) != void.class
                && Nullness.forMethodReturnType(method) == Nullness.NON_NULL;
    }

    /**
     * Without Reactor's coroutines, a proxy does not await what interceptors return.
     *
     * @param where the annotated place, for messages
     * @throws LockDefinitionException if the application has none
     */
    public static void requireSupported(String where) {
        if (!SUPPORTED) {
            throw new LockDefinitionException(
                    where
                            + " is a suspend function, which can only be locked with kotlinx-coroutines-reactor on the classpath.",
                    "Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor and org.jetbrains.kotlin:kotlin-reflect to the"
                            + " application.");
        }
    }

    /**
     * Calls a method in the place of a suspend function.
     *
     * @param method a suspend function too, or a plain one
     * @param target the bean
     * @param continuation the last argument of the function that is replaced
     * @param arguments for the method, without a continuation
     * @return a {@code Mono}
     */
    public static Object call(
            Method method, @Nullable Object target, @Nullable Object continuation, @Nullable Object[] arguments) {
        return isSuspending(method)
                ? Coroutines.call(method, target, continuation, arguments)
                : Coroutines.defer(() -> method.invoke(target, arguments));
    }

    /**
     * {@return what watches one run of a method, to be asked for when its lock is}
     *
     * @param method the locked method
     * @param arguments those of the call
     */
    public static LockedRun begin(Method method, @Nullable Object[] arguments) {
        return isSuspending(method) ? Coroutines.begin(arguments[arguments.length - 1]) : LockedRun.OF_PUBLISHER;
    }

    /**
     * {@return the arguments that the user gave}
     *
     * @param arguments those of a call of a suspend function
     */
    public static @Nullable Object[] withoutContinuation(@Nullable Object[] arguments) {
        return Arrays.copyOf(arguments, arguments.length - 1);
    }
}
