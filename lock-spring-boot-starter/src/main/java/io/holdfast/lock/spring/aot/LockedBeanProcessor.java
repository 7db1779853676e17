package io.holdfast.lock.spring.aot;

import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import io.holdfast.lock.spring.definition.AnnotatedMethods;
import io.holdfast.lock.spring.definition.LockOperationSource;
import io.holdfast.lock.spring.leader.LeaderAdvisor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.MergedAnnotation;

/**
 * Finds beans with methods that are locked or run on the leader only, and registers the hints that these methods need in a
 * native image. Nothing is checked: an invalid definition causes startup of the application to fail, with a better message.
 */
final class LockedBeanProcessor implements BeanRegistrationAotProcessor {

    /** One annotation of a method, or of its class. */
    private record Annotated(Method method, MergedAnnotation<?> annotation) {}

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        ConfigurableListableBeanFactory beans = bean.getBeanFactory();
        Class<?> type = bean.getBeanClass();
        Stream<AnnotatedMethods<?, ?>> leaders =
                beans.getBeanProvider(LeaderAdvisor.class, false).stream().map(LeaderAdvisor::getPointcut);
        List<Annotated> all = Stream.concat(beans.getBeanProvider(LockOperationSource.class, false).stream(), leaders)
                .filter(source -> source.getClassFilter().matches(type))
                .flatMap(source -> AnnotatedMethods.methodsOf(type).stream()
                        .filter(method -> !method.isSynthetic() && !Modifier.isStatic(method.getModifiers()))
                        .flatMap(method -> source.annotationsOf(method, type).stream()
                                .map(annotation -> new Annotated(method, annotation))))
                .toList();
        return all.isEmpty()
                ? null
                : (generation, code) -> all.forEach(each ->
                        register(each, type, beans, generation.getRuntimeHints().reflection()));
    }

    /** The method itself, the annotations that its lock is composed of, its fallbacks, and what SpEL evaluates. */
    private static void register(
            Annotated annotated, Class<?> type, ConfigurableListableBeanFactory beans, ReflectionHints hints) {
        MergedAnnotation<?> annotation = annotated.annotation();
        hints.registerMethod(annotated.method(), ExecutableMode.INVOKE);
        annotation.getMetaTypes().forEach(each -> hints.registerType(each, MemberCategory.INVOKE_DECLARED_METHODS));
        if (annotation.getType() == DistributedLock.class) {
            String fallback = annotation.getString("fallbackMethod");
            AnnotatedMethods.methodsOf(type).stream()
                    .filter(each -> mayBe(fallback, each))
                    .forEach(each -> hints.registerMethod(each, ExecutableMode.INVOKE));
            Stream.concat(
                            Stream.of(annotation.getStringArray("keys")),
                            Stream.of("key", "condition", "leaseString", "waitForString", "minHoldString")
                                    .map(annotation::getString))
                    .map(text -> resolved(text, beans))
                    .filter(each -> !each.isBlank())
                    .forEach(each -> new ExpressionHints(hints, beans).register(each, annotated.method(), type));
        }
    }

    /** A placeholder may have a different value at run time than at build time. */
    private static boolean mayBe(String fallback, Method method) {
        return fallback.contains("${") || KotlinNames.of(method).equals(fallback);
    }

    /** Resolves placeholders as far as the properties are known at build time. */
    private static String resolved(String text, ConfigurableListableBeanFactory beans) {
        try {
            String value = beans.resolveEmbeddedValue(text);
            return value == null ? "" : value;
        } catch (IllegalArgumentException notSet) {
            return text;
        }
    }
}
