package io.holdfast.lock.spring.aot;

import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import io.holdfast.lock.spring.key.TimeExpression;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A method that may run under a lock, as its annotation says. Nothing is checked: an invalid definition causes startup of the
 * application to fail, with a better message.
 *
 * @param method the method
 * @param type the class of the bean
 * @param annotation one of those of the method, or of its class
 */
record LockedMethod(Method method, Class<?> type, MergedAnnotation<DistributedLock> annotation) {

    /** All of a class, those of its interfaces among them: through a proxy, either may be called. */
    static List<LockedMethod> of(Class<?> type) {
        List<LockedMethod> found = new ArrayList<>();
        for (Method method : methodsOf(type)) {
            find(method, type).forEach(annotation -> found.add(new LockedMethod(method, type, annotation)));
        }
        return found;
    }

    private static Set<Method> methodsOf(Class<?> type) {
        Set<Method> methods = new LinkedHashSet<>();
        for (Class<?> each : hierarchy(type)) {
            methods.addAll(List.of(ReflectionUtils.getDeclaredMethods(each)));
        }
        methods.removeIf(each -> each.isSynthetic() || Modifier.isStatic(each.getModifiers()));
        return methods;
    }

    static Set<Class<?>> hierarchy(Class<?> type) {
        Set<Class<?>> types = new LinkedHashSet<>();
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            types.add(each);
        }
        types.addAll(ClassUtils.getAllInterfacesForClassAsSet(type));
        return types;
    }

    private static List<MergedAnnotation<DistributedLock>> find(Method method, Class<?> type) {
        boolean byClass = Modifier.isPublic(method.getModifiers());
        return Stream.<AnnotatedElement>of(method, type, method.getDeclaringClass())
                .limit(byClass ? 3 : 1)
                .map(element -> MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(
                                DistributedLock.class)
                        .toList())
                .filter(found -> !found.isEmpty())
                .findFirst()
                .orElse(List.of());
    }

    /** What SpEL evaluates. */
    List<String> expressions() {
        Stream<String> times = Stream.of("leaseString", "waitForString", "minHoldString", "maxHoldString")
                .map(annotation::getString)
                .filter(TimeExpression::is);
        return Stream.of(
                        Stream.of(annotation.getStringArray("key")),
                        Stream.of(annotation.getString("condition")),
                        times)
                .flatMap(each -> each)
                .filter(each -> !each.isBlank())
                .toList();
    }

    /** The method itself, its fallbacks, and the annotations that its lock is composed of. */
    void registerReflection(ReflectionHints hints) {
        hints.registerMethod(method, ExecutableMode.INVOKE);
        String fallback = annotation.getString("fallbackMethod");
        for (Method each : methodsOf(type)) {
            if (KotlinNames.of(each).equals(fallback)) {
                hints.registerMethod(each, ExecutableMode.INVOKE);
            }
        }
        for (MergedAnnotation<?> each = annotation; each != null; each = each.getMetaSource()) {
            hints.registerType(each.getType(), MemberCategory.INVOKE_DECLARED_METHODS);
        }
    }
}
