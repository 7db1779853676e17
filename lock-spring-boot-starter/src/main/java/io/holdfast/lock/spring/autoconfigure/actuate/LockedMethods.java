package io.holdfast.lock.spring.autoconfigure.actuate;

import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.aop.ProxiedBean;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Definition;
import io.holdfast.lock.spring.definition.LockOperation;
import io.holdfast.lock.spring.definition.LockOperationSource;
import java.time.Duration;
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
        return ProxiedBean.all(beans)
                .flatMap(bean -> operations.allOf(bean.type()).stream().map(each -> describe(bean, each)))
                .toList();
    }

    private static Definition describe(ProxiedBean bean, LockOperation operation) {
        String method =
                ClassUtils.getUserClass(bean.type()).getName() + '.' + LockOperation.signature(operation.method());
        List<Definition> further = operation.locks().stream()
                .skip(1)
                .map(each -> describe(null, null, each, null))
                .toList();
        return describe(bean.name(), method, operation.locks().get(0), further);
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
                lock.keys().texts(),
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
