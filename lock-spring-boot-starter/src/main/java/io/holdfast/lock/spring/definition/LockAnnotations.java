package io.holdfast.lock.spring.definition;

import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the annotation of a method: on the method, on the methods it overrides or implements, on the class, on its
 * super-types; in each place also as a part of another annotation. The method wins over the class. That of a class does not
 * mean the fallback which it names.
 */
final class LockAnnotations {

    private LockAnnotations() {}

    /** The method that runs when the given one is called on the class; where parameter names can be found. */
    static Method specific(Method method, Class<?> userClass) {
        Method specific = AopUtils.getMostSpecificMethod(method, userClass);
        Class<?> type = specific.getDeclaringClass();
        boolean generated = Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
        return generated ? ClassUtils.getInterfaceMethodIfPossible(specific, null) : specific;
    }

    static @Nullable DistributedLock find(Method method, Method specific, Class<?> userClass) {
        if (isBody(specific)) {
            return null;
        }
        DistributedLock own = ofElement(specific);
        if (own == null && !method.equals(specific)) {
            own = ofElement(method);
        }
        return own == null && belongsToClass(specific) ? ofClass(specific, userClass) : own;
    }

    /** Kotlin puts the body of an open suspend function into a static method beside it, and copies the annotations. */
    private static boolean isBody(Method method) {
        return method.isSynthetic() && Modifier.isStatic(method.getModifiers());
    }

    private static @Nullable DistributedLock ofElement(Method method) {
        return AnnotatedElementUtils.findMergedAnnotation(method, DistributedLock.class);
    }

    private static @Nullable DistributedLock ofClass(Method specific, Class<?> userClass) {
        DistributedLock found = AnnotatedElementUtils.findMergedAnnotation(userClass, DistributedLock.class);
        if (found == null) {
            found = AnnotatedElementUtils.findMergedAnnotation(specific.getDeclaringClass(), DistributedLock.class);
        }
        boolean fallback = found != null && found.fallbackMethod().equals(KotlinNames.of(specific));
        return fallback ? null : found;
    }

    /** Whether an annotation of the class means this method: public, not static, not one that every object has. */
    private static boolean belongsToClass(Method specific) {
        int modifiers = specific.getModifiers();
        return Modifier.isPublic(modifiers)
                && !Modifier.isStatic(modifiers)
                && !ReflectionUtils.isObjectMethod(specific)
                && ClassUtils.isUserLevelMethod(specific);
    }
}
