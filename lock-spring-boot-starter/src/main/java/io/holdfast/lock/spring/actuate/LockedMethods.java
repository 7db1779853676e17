package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.actuate.LocksDescriptors.Definition;
import io.holdfast.lock.spring.aop.ProxiedBeans;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import io.holdfast.lock.spring.definition.LockOperation;
import io.holdfast.lock.spring.definition.LockOperationSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** The annotated methods of all beans. Does not create any beans: only their types are examined. */
final class LockedMethods {

    private LockedMethods() {}

    /** Determined each time, because the class of a bean may not be known until it is created. */
    static List<Definition> of(ConfigurableListableBeanFactory beans, LockOperationSource operations) {
        List<Definition> all = new ArrayList<>();
        for (String bean : beans.getBeanDefinitionNames()) {
            Class<?> type = ProxiedBeans.typeOf(beans, bean);
            if (type != null) {
                Class<?> userClass = ClassUtils.getUserClass(type);
                operations.allOf(userClass).forEach(each -> all.add(describe(bean, userClass, each)));
            }
        }
        return all;
    }

    private static Definition describe(String bean, Class<?> type, LockOperation operation) {
        String method = type.getName()
                + '.'
                + KotlinNames.of(operation.method())
                + LockOperation.parameters(operation.method());
        List<Definition> further = operation.locks().stream()
                .skip(1)
                .map(each -> describe(null, null, each, null))
                .toList();
        return describe(bean, method, operation.locks().get(0), further);
    }

    private static Definition describe(
            @Nullable String bean,
            @Nullable String method,
            LockOperation.Lock lock,
            @Nullable List<Definition> further) {
        LockRequest shape = lock.shape().get();
        return new Definition(
                bean,
                method,
                lock.name(),
                lock.keys().expressions(),
                shape.mode().name(),
                shape.mode() == LockMode.SHARED && shape.limit() != LockRequest.UNLIMITED ? shape.limit() : null,
                shape.weight() == 1 ? null : shape.weight(),
                shape.fair(),
                text(shape.lease()),
                text(shape.waitFor()),
                text(shape.minHold()),
                text(shape.maxHold()),
                shape.maxWaiting() == LockRequest.UNLIMITED ? null : shape.maxWaiting(),
                further);
    }

    private static @Nullable String text(Optional<Duration> time) {
        return time.map(Duration::toString).orElse(null);
    }
}
