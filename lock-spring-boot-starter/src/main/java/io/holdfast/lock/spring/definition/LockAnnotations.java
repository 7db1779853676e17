package io.holdfast.lock.spring.definition;

import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.DistributedSemaphore;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
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

    /**
     * The limit of a semaphore without permits: it has that of the properties, and there must be one. Without, it would limit nothing.
     */
    static final int PERMITS_OF_PROPERTIES = Integer.MIN_VALUE;

    private static final String LIMIT = "limit";
    private static final int UNSPECIFIED = -1;

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
    static List<DistributedLock> find(Method method, Method specific, Class<?> userClass, Placeholders placeholders) {
        if (isBody(specific)) {
            return List.of();
        }
        List<DistributedLock> own = ofElement(specific);
        if (own.isEmpty() && !method.equals(specific)) {
            own = ofElement(method);
        }
        return own.isEmpty() && belongsToClass(specific) ? ofClass(specific, userClass, placeholders) : own;
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
                .map(LockAnnotations::synthesize)
                .toList();
    }

    private static DistributedLock synthesize(MergedAnnotation<DistributedLock> found) {
        if (!isSemaphore(found) || found.getInt(LIMIT) != UNSPECIFIED) {
            return found.synthesize();
        }
        Map<String, Object> attributes = new HashMap<>(found.asMap());
        attributes.put(LIMIT, PERMITS_OF_PROPERTIES);
        return MergedAnnotation.of(DistributedLock.class, attributes).synthesize();
    }

    /** Also if {@code @DistributedSemaphore} is itself a part of another annotation. */
    private static boolean isSemaphore(MergedAnnotation<?> found) {
        return Stream.<MergedAnnotation<?>>iterate(found, Objects::nonNull, MergedAnnotation::getMetaSource)
                .anyMatch(each -> each.getType() == DistributedSemaphore.class);
    }

    private static List<DistributedLock> ofClass(Method specific, Class<?> userClass, Placeholders placeholders) {
        List<DistributedLock> found = ofElement(userClass);
        return isFallback(found, specific, placeholders) ? List.of() : found;
    }

    /** Whether one of the annotations of its class names the method as its fallback. */
    static boolean isFallback(Method specific, Class<?> userClass, Placeholders placeholders) {
        return isFallback(ofElement(userClass), specific, placeholders);
    }

    private static boolean isFallback(List<DistributedLock> ofClass, Method specific, Placeholders placeholders) {
        String where = specific.getDeclaringClass().getName();
        return ofClass.stream()
                .map(each -> placeholders.resolve(FallbackParser.ATTRIBUTE, each.fallbackMethod(), where))
                .anyMatch(KotlinNames.of(specific)::equals);
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
