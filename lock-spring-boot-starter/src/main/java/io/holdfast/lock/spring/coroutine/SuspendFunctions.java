package io.holdfast.lock.spring.coroutine;

import java.lang.reflect.Method;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.Nullness;

/**
 * Kotlin's suspend functions. Between a proxy and the function, Spring's interceptors see a {@code Mono}, which the proxy awaits.
 * The function's last argument, the continuation, is not passed in the caller's source code.
 */
public final class SuspendFunctions {

    private SuspendFunctions() {}

    /**
     * {@return how many arguments the caller of a method passes in its source code}
     *
     * @param method any method
     */
    public static int argumentCount(Method method) {
        return method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
    }

    /**
     * {@return the declared return type of a method; for a suspend function, its return type in Kotlin}
     *
     * @param method any method
     */
    public static Class<?> declaredType(Method method) {
        return new MethodParameter(method, -1).getParameterType();
    }

    /**
     * {@return whether a method is declared in Kotlin as never returning null; false if it returns nothing, and for Java methods}
     *
     * @param method any method
     */
    public static boolean isNeverNull(Method method) {
        return KotlinDetector.isKotlinType(method.getDeclaringClass())
                && declaredType(method) != void.class
                && Nullness.forMethodReturnType(method) == Nullness.NON_NULL;
    }
}
