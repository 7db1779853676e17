package io.holdfast.lock.spring.definition;

import java.lang.annotation.Annotation;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.springframework.aop.ClassFilter;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
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
        if (!AnnotationUtils.isCandidateClass(type, annotation)) {
            return false;
        }
        Boolean annotated = known.get(type);
        if (annotated == null) {
            annotated = hasAnnotation(type)
                    || Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()))
                            .anyMatch(this::matches);
            known.put(type, annotated);
        }
        return annotated;
    }

    /** A class may name types that are not there, of an optional library: Spring cannot build such a bean either. */
    private boolean hasAnnotation(Class<?> type) {
        try {
            return MergedAnnotations.from(type).isPresent(annotation)
                    || Stream.of(ReflectionUtils.getDeclaredMethods(type))
                            .anyMatch(method -> MergedAnnotations.from(method).isPresent(annotation));
        } catch (IllegalStateException notLoadable) {
            return false;
        }
    }
}
