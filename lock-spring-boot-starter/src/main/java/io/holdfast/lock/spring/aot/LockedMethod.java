package io.holdfast.lock.spring.aot;

import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import io.holdfast.lock.spring.definition.AnnotatedMethods;
import io.holdfast.lock.spring.definition.LockOperationSource;
import io.holdfast.lock.spring.leader.LeaderAdvisor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A method that may run under a lock, or on the leader only, as its annotation says. Nothing is checked: an invalid definition causes
 * startup of the application to fail, with a better message.
 *
 * @param method the method
 * @param type the class of the bean
 * @param annotation one of those of the method, or of its class
 */
record LockedMethod(Method method, Class<?> type, MergedAnnotation<?> annotation) {

    /** All of a class, those of its interfaces among them: through a proxy, either may be called. */
    static List<LockedMethod> of(Class<?> type, ConfigurableListableBeanFactory beans) {
        Stream<AnnotatedMethods<?, ?>> leaders =
                beans.getBeanProvider(LeaderAdvisor.class).stream().map(LeaderAdvisor::getPointcut);
        return Stream.concat(beans.getBeanProvider(LockOperationSource.class).stream(), leaders)
                .filter(source -> source.getClassFilter().matches(type))
                .flatMap(source -> methodsOf(type)
                        .filter(method -> !Modifier.isStatic(method.getModifiers()))
                        .flatMap(method -> source.annotationsOf(method, type).stream()
                                .map(annotation -> new LockedMethod(method, type, annotation))))
                .toList();
    }

    private static Stream<Method> methodsOf(Class<?> type) {
        return hierarchy(type).stream()
                .flatMap(each -> Stream.of(ReflectionUtils.getDeclaredMethods(each)))
                .filter(each -> !each.isSynthetic())
                .distinct();
    }

    static Set<Class<?>> hierarchy(Class<?> type) {
        Set<Class<?>> types = new LinkedHashSet<>();
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            types.add(each);
        }
        types.addAll(ClassUtils.getAllInterfacesForClassAsSet(type));
        return types;
    }

    /** What SpEL evaluates. */
    List<String> expressions(UnaryOperator<String> placeholders) {
        if (annotation.getType() != DistributedLock.class) {
            return List.of();
        }
        return Stream.concat(Stream.of(annotation.getStringArray("key")), Stream.of(annotation.getString("condition")))
                .map(placeholders)
                .filter(each -> !each.isBlank())
                .toList();
    }

    /** The method itself, its fallbacks, and the annotations that its lock is composed of. */
    void registerReflection(ReflectionHints hints) {
        hints.registerMethod(method, ExecutableMode.INVOKE);
        if (annotation.getType() == DistributedLock.class) {
            String fallback = annotation.getString("fallbackMethod");
            methodsOf(type)
                    .filter(each -> mayBe(fallback, each))
                    .forEach(each -> hints.registerMethod(each, ExecutableMode.INVOKE));
        }
        for (MergedAnnotation<?> each = annotation; each != null; each = each.getMetaSource()) {
            hints.registerType(each.getType(), MemberCategory.INVOKE_DECLARED_METHODS);
        }
    }

    /** A placeholder may have another value than at the build when the application runs. */
    private static boolean mayBe(String fallback, Method method) {
        return fallback.contains("${") || KotlinNames.of(method).equals(fallback);
    }
}
