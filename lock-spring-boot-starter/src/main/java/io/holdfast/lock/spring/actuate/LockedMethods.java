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

    LockedMethods(ConfigurableListableBeanFactory beans, LockOperationSource operations) {
        this.beans = beans;
        this.operations = operations;
    }

    /** Looked for each time: creating a bean may tell its class for the first time. */
    List<Definition> all() {
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
