package io.holdfast.lock.spring.result;

import java.lang.reflect.Method;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Runs Kotlin's suspend functions. Implemented by {@code lock-kotlin}, which provides it as a service. */
public interface SuspendSupport {

    /** Null without {@code lock-kotlin}; suspend functions then cause startup to fail. */
    @Nullable
    SuspendSupport PROVIDED = ServiceLoader.load(SuspendSupport.class, SuspendSupport.class.getClassLoader())
            .findFirst()
            .orElse(null);

    /**
     * Runs one call under its lock.
     *
     * @param call a call of a suspend function
     * @return what interceptors see in place of its result: a {@code Mono}
     */
    Object run(LockedCall call);

    /**
     * Calls a suspend function in place of another.
     *
     * @param function what to call
     * @param target the bean
     * @param continuation the last argument of the function that is replaced
     * @param arguments for the function, without a continuation
     * @return a {@code Mono}
     */
    Object call(Method function, @Nullable Object target, @Nullable Object continuation, @Nullable Object[] arguments);
}
