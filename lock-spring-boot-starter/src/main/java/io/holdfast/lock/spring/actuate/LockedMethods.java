package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.actuate.LocksDescriptors.Definition;
import io.holdfast.lock.spring.actuate.LocksDescriptors.Further;
import io.holdfast.lock.spring.aop.ProxiedBeans;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import io.holdfast.lock.spring.definition.LockOperation;
import io.holdfast.lock.spring.definition.LockOperationSource;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** The annotated methods of all beans. Creates no bean: it looks at their types. */
final class LockedMethods {

    private final ConfigurableListableBeanFactory beans;
    private final LockOperationSource operations;
    private volatile @Nullable Known known;

    /** @param untyped those of which the type was not known; a FactoryBean may tell it later */
    private record Known(int beans, int singletons, List<String> untyped, List<Definition> methods) {}

    LockedMethods(ConfigurableListableBeanFactory beans, LockOperationSource operations) {
        this.beans = beans;
        this.operations = operations;
    }

    /** Looked for once, and again when beans were added or created, which may tell a bean's class for the first time. */
    List<Definition> all() {
        Known last = known;
        if (last == null || isOutdated(last)) {
            last = find();
            known = last;
        }
        return last.methods;
    }

    private boolean isOutdated(Known last) {
        return last.beans != beans.getBeanDefinitionCount()
                || last.singletons != beans.getSingletonCount()
                || last.untyped.stream().anyMatch(bean -> ProxiedBeans.typeOf(beans, bean) != null);
    }

    private Known find() {
        int definitions = beans.getBeanDefinitionCount();
        int singletons = beans.getSingletonCount();
        List<String> untyped = new ArrayList<>();
        List<Definition> all = new ArrayList<>();
        for (String bean : beans.getBeanDefinitionNames()) {
            Class<?> type = ProxiedBeans.typeOf(beans, bean);
            if (type == null) {
                untyped.add(bean);
            } else {
                Class<?> userClass = ClassUtils.getUserClass(type);
                operations.allOf(userClass).forEach(each -> all.add(describe(bean, userClass, each)));
            }
        }
        return new Known(definitions, singletons, List.copyOf(untyped), List.copyOf(all));
    }

    private static Definition describe(String bean, Class<?> type, LockOperation operation) {
        Method method = operation.method();
        LockRequest shape = operation.shape();
        return new Definition(
                bean,
                signature(method, type),
                operation.name(),
                operation.locks().get(0).keys().expressions(),
                shape.mode().name(),
                limit(shape),
                weight(shape),
                shape.fair(),
                text(shape.lease()),
                text(shape.waitFor()),
                text(shape.minHold()),
                text(shape.maxHold()),
                shape.maxWaiting() == LockRequest.UNLIMITED ? null : shape.maxWaiting(),
                operation.locks().stream().skip(1).map(LockedMethods::describe).toList());
    }

    private static Further describe(LockOperation.Lock further) {
        LockRequest shape = further.shape().get();
        return new Further(
                further.name(),
                further.keys().expressions(),
                shape.mode().name(),
                limit(shape),
                weight(shape),
                shape.fair());
    }

    private static @Nullable Integer limit(LockRequest shape) {
        return shape.mode() == LockMode.SHARED && shape.limit() != LockRequest.UNLIMITED ? shape.limit() : null;
    }

    private static @Nullable Integer weight(LockRequest shape) {
        return shape.weight() == 1 ? null : shape.weight();
    }

    private static String signature(Method method, Class<?> type) {
        return type.getName() + '.' + KotlinNames.of(method) + LockOperation.parameters(method);
    }

    private static @Nullable String text(Optional<Duration> time) {
        return time.map(Duration::toString).orElse(null);
    }
}
