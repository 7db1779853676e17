package io.holdfast.lock.spring.aop;

import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
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
 * The classes of which a method may be locked: those that have the annotation, or a method with it, themselves or from a
 * super-type. Looks at each class and interface once. To look for the annotation of a method takes a search of all super-types,
 * and beans have many methods; most beans have no lock at all.
 */
final class LockedTypes implements ClassFilter {

    private final Map<Class<?>, Boolean> known = new ConcurrentHashMap<>();

    @Override
    public boolean matches(Class<?> type) {
        return isLocked(type);
    }

    private boolean isLocked(@Nullable Class<?> type) {
        if (type == null || !AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
            return false;
        }
        Boolean locked = known.get(type);
        if (locked == null) {
            refuseCompanion(type);
            locked = hasAnnotation(type) || isLocked(type.getSuperclass()) || hasLockedInterface(type);
            known.put(type, locked);
        }
        return locked;
    }

    /** The companion object of a class in Kotlin is no bean, so its functions would run without their lock. */
    private static void refuseCompanion(Class<?> type) {
        if (!KotlinDetector.isKotlinType(type)) {
            return;
        }
        for (Class<?> inner : type.getDeclaredClasses()) {
            if (inner.getSimpleName().equals("Companion") && hasAnnotation(inner)) {
                throw new LockDefinitionException(
                        "@DistributedLock is on a function of the companion object of " + type.getSimpleName()
                                + ", which is not a bean and cannot be proxied.",
                        "Move the function to the class itself, or use LockTemplate inside it.");
            }
        }
    }

    private boolean hasLockedInterface(Class<?> type) {
        for (Class<?> each : type.getInterfaces()) {
            if (isLocked(each)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasAnnotation(Class<?> type) {
        if (MergedAnnotations.from(type).isPresent(DistributedLock.class)) {
            return true;
        }
        try {
            for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
                if (MergedAnnotations.from(method).isPresent(DistributedLock.class)) {
                    return true;
                }
            }
            return false;
        } catch (IllegalStateException notLoadable) {
            return true; // it names types that are not there; whoever looks closer says so
        }
    }
}
