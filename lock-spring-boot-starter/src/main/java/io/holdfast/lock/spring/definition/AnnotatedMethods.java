package io.holdfast.lock.spring.definition;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;

/**
 * What the annotation of a method says, read once for each method and target class.
 *
 * @param <T> what it says
 */
public abstract class AnnotatedMethods<T> {

    private final Map<MethodClassKey, T> known = new ConcurrentHashMap<>();

    /**
     * {@return what the annotation says, or null if the method has none}
     *
     * @param method as it is called
     * @param targetClass of what it is called on
     * @throws io.holdfast.lock.spring.annotation.LockDefinitionException if the annotation cannot work
     */
    public final @Nullable T find(Method method, Class<?> targetClass) {
        MethodClassKey id = new MethodClassKey(method, targetClass);
        T found = known.get(id);
        if (found == null) {
            Class<?> userClass = userClass(method, targetClass);
            found = read(method, LockAnnotations.specific(method, userClass), userClass, targetClass);
            if (found != null) {
                known.put(id, found);
            }
        }
        return found;
    }

    /** What only a proxy has is called by the interface that has it, since the proxy's name is another one at each start. */
    private static Class<?> userClass(Method method, Class<?> targetClass) {
        if (Proxy.isProxyClass(targetClass)) {
            for (Class<?> each : targetClass.getInterfaces()) {
                if (method.getDeclaringClass().isAssignableFrom(each)) {
                    return each;
                }
            }
        }
        return ClassUtils.getUserClass(targetClass);
    }

    /**
     * {@return what the annotation says, or null if there is none}
     *
     * @param method as it is called
     * @param specific the method that runs then
     * @param userClass the class of the bean; of a proxy the interface that has the method
     * @param targetClass of what the method is called on
     */
    protected abstract @Nullable T read(Method method, Method specific, Class<?> userClass, Class<?> targetClass);

    /**
     * {@return whether an annotation of the class excludes a method}
     *
     * @param specific a method of the class
     * @param userClass the class of the bean
     */
    public boolean isExempt(Method specific, Class<?> userClass) {
        return false;
    }

    /**
     * {@return the method of which it was read}
     *
     * @param found what the annotation says
     */
    public abstract Method methodOf(T found);
}
