package io.holdfast.lock.spring.key;

import io.holdfast.lock.spring.coroutine.SuspendFunctions;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;

/**
 * Tells the parameters that are a {@code kotlin.time.Duration}: a value class, which is passed as a number of nanoseconds or
 * milliseconds with a mark. Only Kotlin's reflection knows them from numbers; without it none is known.
 */
final class KotlinDurations {

    private static final String DURATION = "kotlin.time.Duration";

    private KotlinDurations() {}

    static boolean isDuration(Method method, int position) {
        return method.getParameterTypes()[position] == long.class
                && method.getName().indexOf('-') > 0
                && KotlinDetector.isKotlinReflectPresent()
                && KotlinDetector.isKotlinType(method.getDeclaringClass())
                && DURATION.equals(typeOf(method, position));
    }

    private static @Nullable String typeOf(Method method, int position) {
        try {
            Object function = Class.forName("kotlin.reflect.jvm.ReflectJvmMapping")
                    .getMethod("getKotlinFunction", Method.class)
                    .invoke(null, method);
            if (function == null) {
                return null;
            }
            List<?> parameters = (List<?>) Class.forName("kotlin.reflect.KCallable")
                    .getMethod("getParameters")
                    .invoke(function);
            int receivers = parameters.size() - SuspendFunctions.argumentCount(method);
            Object parameter = parameters.get(receivers + position);
            return String.valueOf(Class.forName("kotlin.reflect.KParameter")
                    .getMethod("getType")
                    .invoke(parameter));
        } catch (ReflectiveOperationException | LinkageError notKnown) {
            return null;
        }
    }
}
