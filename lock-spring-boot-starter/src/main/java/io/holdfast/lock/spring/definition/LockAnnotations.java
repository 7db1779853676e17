package io.holdfast.lock.spring.definition;

import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the annotations of a method: on the method, on the methods it overrides or implements, on the class, on its
 * super-types; in each place also as a part of another annotation. The method wins over the class. That of a class does not
 * mean the fallback which it names.
 */
public final class LockAnnotations {

    private LockAnnotations() {}

    /**
     * {@return the method that runs when the given one is called on the class; where parameter names can be found}
     *
     * @param method as it is called
     * @param userClass the class of the bean
     */
    public static Method specific(Method method, Class<?> userClass) {
        Method specific = AopUtils.getMostSpecificMethod(method, userClass);
        Class<?> type = specific.getDeclaringClass();
        boolean generated = Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
        return generated ? ClassUtils.getInterfaceMethodIfPossible(specific, null) : specific;
    }

    /** {@return all that stand in the nearest place; none if the method is not locked} */
    static List<DistributedLock> find(Method method, Method specific, Class<?> userClass) {
        if (isBody(specific)) {
            return List.of();
        }
        List<DistributedLock> own = ofElement(specific);
        if (own.isEmpty() && !method.equals(specific)) {
            own = ofElement(method);
        }
        return own.isEmpty() && belongsToClass(specific) ? ofClass(specific, userClass) : own;
    }

    /** Kotlin puts the body of an open suspend function into a static method beside it, and copies the annotations. */
    private static boolean isBody(Method method) {
        return method.isSynthetic() && Modifier.isStatic(method.getModifiers());
    }

    /** Of a method and those that it overrides, or of a class and its super-types, the first that has any. */
    private static List<DistributedLock> ofElement(AnnotatedElement element) {
        List<MergedAnnotation<DistributedLock>> all =
                MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(DistributedLock.class)
                        .toList();
        return all.stream()
                .filter(each -> each.getAggregateIndex() == all.get(0).getAggregateIndex())
                .map(MergedAnnotation::synthesize)
                .toList();
    }

    private static List<DistributedLock> ofClass(Method specific, Class<?> userClass) {
        List<DistributedLock> found = ofElement(userClass);
        if (found.isEmpty()) {
            found = ofElement(specific.getDeclaringClass());
        }
        boolean fallback = found.stream().anyMatch(each -> each.fallbackMethod().equals(KotlinNames.of(specific)));
        return fallback ? List.of() : found;
    }

    /**
     * {@return whether an annotation of the class means this method: public, not static, not one that every object has}
     *
     * @param specific a method of the class
     */
    public static boolean belongsToClass(Method specific) {
        int modifiers = specific.getModifiers();
        return Modifier.isPublic(modifiers)
                && !Modifier.isStatic(modifiers)
                && !ReflectionUtils.isObjectMethod(specific)
                && ClassUtils.isUserLevelMethod(specific);
    }
}
