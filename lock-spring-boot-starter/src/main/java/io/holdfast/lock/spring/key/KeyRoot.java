package io.holdfast.lock.spring.key;

import io.holdfast.lock.spring.coroutine.KotlinNames;
import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code #root} of a key expression. Has getters, since expressions read properties. */
final class KeyRoot {

    /** What can be read, beside methods. */
    static final Set<String> PROPERTIES = Set.of("method", "methodName", "target", "targetClass", "args", "class");

    private final Method method;
    private final @Nullable Object target;
    private final Class<?> targetClass;
    private final @Nullable Object[] args;

    KeyRoot(Method method, @Nullable Object target, Class<?> targetClass, @Nullable Object[] args) {
        this.method = method;
        this.target = target;
        this.targetClass = targetClass;
        this.args = args;
    }

    public Method getMethod() {
        return method;
    }

    public String getMethodName() {
        return KotlinNames.of(method);
    }

    public @Nullable Object getTarget() {
        return target;
    }

    public Class<?> getTargetClass() {
        return targetClass;
    }

    public @Nullable Object[] getArgs() {
        return args;
    }
}
