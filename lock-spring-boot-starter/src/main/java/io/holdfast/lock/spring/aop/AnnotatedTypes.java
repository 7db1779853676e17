package io.holdfast.lock.spring.aop;

import io.holdfast.lock.spring.annotation.LockDefinitionException;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.annotation.Repeatable;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ClassFilter;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.util.ReflectionUtils;

/**
 * The classes of which a method may have an annotation: those that have it, or a method with it, themselves or from a
 * super-type. Looks at each class and interface once. To look for the annotation of a method takes a search of all super-types,
 * and beans have many methods; most beans have no lock at all.
 */
public final class AnnotatedTypes implements ClassFilter {

    private final Class<? extends Annotation> annotation;
    private final Map<Class<?>, Boolean> known = new ConcurrentHashMap<>();

    /**
     * Creates an instance.
     *
     * @param annotation what is looked for
     */
    public AnnotatedTypes(Class<? extends Annotation> annotation) {
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
        Class<?> companion = companion(type);
        if (companion != null && hasAnnotation(companion)) {
            throw new LockDefinitionException(
                    "@" + annotation.getSimpleName() + " is on a function of the companion object of "
                            + type.getSimpleName() + ", which is not a bean and cannot be proxied.",
                    "Move the function to the class itself, or use LockTemplate or Leadership inside it.");
        }
    }

    /** By its name: to look at all nested classes would load them, and one of them may extend a type that is not there. */
    private static @Nullable Class<?> companion(Class<?> kotlin) {
        try {
            return Class.forName(kotlin.getName() + "$Companion", false, kotlin.getClassLoader());
        } catch (ClassNotFoundException | LinkageError none) {
            return null;
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
            return isInClassFile(type);
        }
    }

    /**
     * A class may name types that are not there, of an optional library: Java cannot list its methods then, but its file tells whether
     * one has the annotation. If so, Spring fails to introspect the class, rather than run the method as if it had none.
     */
    private boolean isInClassFile(Class<?> type) {
        try {
            AnnotationMetadata file = new SimpleMetadataReaderFactory(type.getClassLoader())
                    .getMetadataReader(type.getName())
                    .getAnnotationMetadata();
            Repeatable repeatable = annotation.getAnnotation(Repeatable.class);
            return file.hasAnnotatedMethods(annotation.getName())
                    || (repeatable != null
                            && file.hasAnnotatedMethods(repeatable.value().getName()));
        } catch (IOException generated) {
            return false;
        }
    }
}
