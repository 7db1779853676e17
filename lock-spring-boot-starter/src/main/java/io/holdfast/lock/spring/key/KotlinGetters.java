package io.holdfast.lock.spring.key;

import io.holdfast.lock.spring.coroutine.KotlinNames;
import java.beans.Introspector;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;
import org.springframework.util.ReflectionUtils;

/** Reads properties whose getters have names that only Kotlin's compiler knows: those of value classes, and internal ones. */
final class KotlinGetters implements PropertyAccessor {

    private static final ClassValue<Map<String, Method>> GETTERS = new ClassValue<>() {
        @Override
        protected Map<String, Method> computeValue(Class<?> type) {
            Map<String, Method> found = new TreeMap<>();
            for (Method each : type.getMethods()) {
                String name = KotlinNames.of(each);
                if (each.getParameterCount() == 0 && !name.equals(each.getName())) {
                    if (name.startsWith("get") && name.length() > 3) {
                        found.put(Introspector.decapitalize(name.substring(3)), each);
                    } else if (name.startsWith("is")) {
                        found.put(name, each);
                    }
                }
            }
            return Map.copyOf(found);
        }
    };

    /** {@return the getters of a type, by the names of their properties} */
    static Map<String, Method> of(Class<?> type) {
        return GETTERS.get(type);
    }

    @Override
    public Class<?> @Nullable [] getSpecificTargetClasses() {
        return null;
    }

    @Override
    public boolean canRead(EvaluationContext context, @Nullable Object target, String name) {
        return target != null && of(target.getClass()).containsKey(name);
    }

    @Override
    public TypedValue read(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
        Method getter = target == null ? null : of(target.getClass()).get(name);
        if (getter == null) {
            throw new AccessException("Unknown property '" + name + "'");
        }
        ReflectionUtils.makeAccessible(getter);
        return new TypedValue(ReflectionUtils.invokeMethod(getter, target));
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
