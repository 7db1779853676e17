package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.actuate.LocksDescriptors.Definition;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.aop.BeanTypes;
import io.holdfast.lock.spring.aop.LockAdvisor;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import io.holdfast.lock.spring.definition.LockDefinition;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/** The annotated methods of all beans. Creates no bean: it looks at their types. */
final class LockedMethods {

    private final ConfigurableListableBeanFactory beans;
    private final LockAdvisor advisor;
    private volatile @Nullable Known known;

    private record Known(int beans, List<Definition> methods) {}

    LockedMethods(ConfigurableListableBeanFactory beans, LockAdvisor advisor) {
        this.beans = beans;
        this.advisor = advisor;
    }

    /** Looked for once, and again when beans were added. */
    List<Definition> all() {
        int number = beans.getBeanDefinitionCount();
        Known last = known;
        if (last == null || last.beans != number) {
            last = new Known(number, List.copyOf(find()));
            known = last;
        }
        return last.methods;
    }

    private List<Definition> find() {
        List<Definition> all = new ArrayList<>();
        for (String bean : beans.getBeanDefinitionNames()) {
            Class<?> type = BeanTypes.of(beans, bean);
            if (type != null) {
                Class<?> userClass = ClassUtils.getUserClass(type);
                advisor.definitionsOf(userClass).forEach(each -> all.add(describe(bean, userClass, each)));
            }
        }
        return all;
    }

    private static Definition describe(String bean, Class<?> type, LockDefinition definition) {
        Method method = definition.method();
        LockRequest shape = definition.shape().get();
        return new Definition(
                bean,
                signature(method, type),
                definition.name(),
                keyOf(method, type),
                shape.mode().name(),
                shape.mode() == LockMode.SHARED && shape.limit() != LockRequest.UNLIMITED ? shape.limit() : null,
                shape.fair(),
                text(shape.lease()),
                text(shape.waitFor()),
                text(shape.minHold()),
                text(shape.maxHold()));
    }

    /** As it is written: of the method, or else of its class. */
    private static List<String> keyOf(Method method, Class<?> type) {
        return Stream.of(method, type, method.getDeclaringClass())
                .map(each -> AnnotatedElementUtils.findMergedAnnotation(each, DistributedLock.class))
                .filter(Objects::nonNull)
                .findFirst()
                .map(annotation -> List.of(annotation.key()))
                .orElse(List.of());
    }

    private static String signature(Method method, Class<?> type) {
        return type.getName() + '.' + KotlinNames.of(method) + LockDefinition.parameters(method);
    }

    private static @Nullable String text(Optional<Duration> time) {
        return time.map(Duration::toString).orElse(null);
    }
}
