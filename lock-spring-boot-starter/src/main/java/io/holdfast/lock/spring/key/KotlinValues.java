package io.holdfast.lock.spring.key;

import io.holdfast.lock.spring.coroutine.KotlinNames;
import java.beans.Introspector;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.support.StandardTypeConverter;
import org.springframework.util.ReflectionUtils;

/**
 * Kotlin's value classes. A parameter of such a type is passed as what the value holds; where it is nullable, generic or in a list, in
 * a box. Both must be one key, so boxes are opened. Needs nothing of Kotlin.
 */
final class KotlinValues {

    private static final ClassValue<Optional<Method>> OPENER = new ClassValue<>() {
        @Override
        protected Optional<Method> computeValue(Class<?> type) {
            return Stream.of(type.getDeclaredAnnotations())
                    .filter(each -> each.annotationType().getName().equals("kotlin.jvm.JvmInline"))
                    .findAny()
                    .map(inline -> ReflectionUtils.findMethod(type, "unbox-impl"));
        }
    };

    private KotlinValues() {}

    /** {@return what a value holds; also if it holds another one; anything else itself} */
    static @Nullable Object unboxed(@Nullable Object value) {
        Object held = value;
        while (held != null && OPENER.get(held.getClass()).isPresent()) {
            held = invoked(OPENER.get(held.getClass()).get(), held);
        }
        return held;
    }

    private static @Nullable Object invoked(Method method, Object target) {
        ReflectionUtils.makeAccessible(method);
        return ReflectionUtils.invokeMethod(method, target);
    }

    /** Joins a value with text as what it holds, not as {@code Num(value=5)}. */
    static final class Texts extends StandardTypeConverter {

        @Override
        public boolean canConvert(@Nullable TypeDescriptor source, TypeDescriptor target) {
            return target.getType() == String.class || super.canConvert(source, target);
        }

        @Override
        public @Nullable Object convertValue(
                @Nullable Object value, @Nullable TypeDescriptor source, TypeDescriptor target) {
            Object held = target.getType() == String.class ? unboxed(value) : value;
            return held == value ? super.convertValue(value, source, target) : String.valueOf(held);
        }
    }

    /** Reads properties whose getters have names that only Kotlin's compiler knows: those of value classes, and internal ones. */
    static final class Getters implements PropertyAccessor {

        private static final ClassValue<Map<String, Method>> GETTERS = new ClassValue<>() {
            @Override
            protected Map<String, Method> computeValue(Class<?> type) {
                Map<String, Method> found = new HashMap<>();
                for (Method each : type.getMethods()) {
                    String name = KotlinNames.of(each);
                    if (each.getParameterCount() == 0 && !name.equals(each.getName())) {
                        boolean get = name.startsWith("get") && name.length() > 3;
                        found.put(get ? Introspector.decapitalize(name.substring(3)) : name, each);
                    }
                }
                return found;
            }
        };

        @Override
        public Class<?> @Nullable [] getSpecificTargetClasses() {
            return null;
        }

        @Override
        public boolean canRead(EvaluationContext context, @Nullable Object target, String name) {
            return target != null && GETTERS.get(target.getClass()).containsKey(name);
        }

        @Override
        public TypedValue read(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
            Method getter =
                    target == null ? null : GETTERS.get(target.getClass()).get(name);
            if (target == null || getter == null) {
                throw new AccessException("Unknown property '" + name + "'");
            }
            return new TypedValue(invoked(getter, target));
        }

        @Override
        public boolean canWrite(EvaluationContext context, @Nullable Object target, String name) {
            return false;
        }

        @Override
        public void write(EvaluationContext context, @Nullable Object target, String name, @Nullable Object newValue) {
            throw new UnsupportedOperationException("Lock expressions are read-only: " + name);
        }
    }
}
