package io.holdfast.lock.spring.aop;

import io.holdfast.lock.spring.annotation.LockDefinitionException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ClassFilter;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

/**
 * The classes of which a method may have an annotation: those that have it, or a method with it, themselves or from a
 * super-type. Looks at each class and interface once. To look for the annotation of a method takes a search of all super-types,
 * and beans have many methods; most beans have no lock at all.
 */
final class AnnotatedTypes implements ClassFilter {

    private final Class<? extends Annotation> annotation;
    private final Map<Class<?>, Boolean> known = new ConcurrentHashMap<>();

    /** @param annotation what is looked for */
    AnnotatedTypes(Class<? extends Annotation> annotation) {
        this.annotation = annotation;
    }

    @Override
    public boolean matches(Class<?> type) {
        return isAnnotated(type);
    }

    private boolean isAnnotated(@Nullable Class<?> type) {
        if (type == null || !AnnotationUtils.isCandidateClass(type, annotation)) {
            return false;
        }
        Boolean annotated = known.get(type);
        if (annotated == null) {
            refuseCompanion(type);
            annotated = hasAnnotation(type) || isAnnotated(type.getSuperclass()) || hasAnnotatedInterface(type);
            known.put(type, annotated);
        }
        return annotated;
    }

    /** The companion object of a class in Kotlin is no bean, so its functions would run without their lock. */
    private void refuseCompanion(Class<?> type) {
        if (!KotlinDetector.isKotlinType(type)) {
            return;
        }
        for (Class<?> inner : type.getDeclaredClasses()) {
            if (inner.getSimpleName().equals("Companion") && hasAnnotation(inner)) {
                throw new LockDefinitionException(
                        "@" + annotation.getSimpleName() + " is on a function of the companion object of "
                                + type.getSimpleName() + ", which is not a bean and cannot be proxied.",
                        "Move the function to the class itself, or use LockTemplate or Leadership inside it.");
            }
        }
    }

    private boolean hasAnnotatedInterface(Class<?> type) {
        for (Class<?> each : type.getInterfaces()) {
            if (isAnnotated(each)) {
                return true;
            }
        }
        return false;
    }

    private boolean hasAnnotation(Class<?> type) {
        if (MergedAnnotations.from(type).isPresent(annotation)) {
            return true;
        }
        try {
            for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
                if (MergedAnnotations.from(method).isPresent(annotation)) {
                    return true;
                }
            }
            return false;
        } catch (IllegalStateException notLoadable) {
            return true; // it names types that are not there; whoever looks closer says so
        }
    }
}
