package io.holdfast.lock.spring.key;

import io.holdfast.lock.spring.coroutine.KotlinNames;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.expression.spel.support.StandardTypeConverter;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Kotlin's value classes. A parameter of such a type is passed as what the value holds, or in a box if it is nullable, generic
 * or in a list. Both must result in the same key, so boxed values are unboxed. Does not depend on Kotlin.
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

    /** {@return what a value holds, unboxed repeatedly if values are nested; any other object unchanged} */
    static @Nullable Object unboxed(@Nullable Object value) {
        Object held = value;
        while (held != null && OPENER.get(held.getClass()).isPresent()) {
            Method opener = OPENER.get(held.getClass()).get();
            ReflectionUtils.makeAccessible(opener);
            held = ReflectionUtils.invokeMethod(opener, held);
        }
        return held;
    }

    /** Makes text contain what a value holds, not {@code Num(value=5)}. */
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

    /**
     * Reads properties, including those whose getters have names that only Kotlin's compiler knows: of value classes, and
     * internal ones.
     */
    static final class Properties extends ReflectivePropertyAccessor {

        Properties() {
            super(false);
        }

        @Override
        protected @Nullable Method findGetterForProperty(String name, Class<?> type, boolean mustBeStatic) {
            Method getter = super.findGetterForProperty(name, type, mustBeStatic);
            if (getter == null && !mustBeStatic) {
                Set<String> names = Set.of(name, "get" + StringUtils.capitalize(name));
                for (Method each : type.getMethods()) {
                    if (each.getParameterCount() == 0 && names.contains(KotlinNames.of(each))) {
                        return each;
                    }
                }
            }
            return getter;
        }
    }
}
