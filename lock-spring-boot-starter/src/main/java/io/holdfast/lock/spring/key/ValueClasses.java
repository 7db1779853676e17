package io.holdfast.lock.spring.key;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * Kotlin's value classes. A parameter of such a type is passed as what the value holds; where it is nullable, generic or in a list, in
 * a box. Both must be one key, so boxes are opened. Needs nothing of Kotlin.
 */
final class ValueClasses {

    private static final String ANNOTATION = "kotlin.jvm.JvmInline";

    private static final ClassValue<Optional<Method>> OPENER = new ClassValue<>() {
        @Override
        protected Optional<Method> computeValue(Class<?> type) {
            return isValueClass(type)
                    ? Optional.ofNullable(ReflectionUtils.findMethod(type, "unbox-impl"))
                    : Optional.empty();
        }
    };

    private ValueClasses() {}

    private static boolean isValueClass(Class<?> type) {
        for (Annotation each : type.getDeclaredAnnotations()) {
            if (each.annotationType().getName().equals(ANNOTATION)) {
                return true;
            }
        }
        return false;
    }

    /** {@return what a value holds; also if it holds another one; anything else itself} */
    static @Nullable Object unboxed(@Nullable Object value) {
        Object held = value;
        while (held != null) {
            Optional<Method> opener = OPENER.get(held.getClass());
            if (opener.isEmpty()) {
                return held;
            }
            ReflectionUtils.makeAccessible(opener.get());
            held = ReflectionUtils.invokeMethod(opener.get(), held);
        }
        return null;
    }
}
