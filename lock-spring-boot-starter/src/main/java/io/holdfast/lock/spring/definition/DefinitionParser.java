package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.key.KeySource;
import io.holdfast.lock.spring.key.LockedPlace;
import io.holdfast.lock.spring.result.ResultKind;
import java.lang.reflect.Method;
import java.time.Duration;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

/** Turns an annotation into a {@link LockDefinition}, or says what is wrong with it. */
final class DefinitionParser {

    private final TimeAttribute times;
    private final BeanResolver beans;
    private final DefaultParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();

    /**
     * Creates an instance.
     *
     * @param placeholders replaces {@code ${…}} in text attributes
     * @param beans yields what key expressions call {@code @name}
     */
    DefinitionParser(StringValueResolver placeholders, BeanResolver beans) {
        this.times = new TimeAttribute(placeholders);
        this.beans = beans;
    }

    LockDefinition parse(DistributedLock annotation, Method method, Class<?> userClass) {
        String where = LockDefinition.describe(method, userClass);
        ResultKind result = ResultKind.of(method, userClass, where);
        checkSkip(annotation, method, where);
        return new LockDefinition(
                method,
                userClass.getSimpleName() + '.' + method.getName(),
                key(annotation, method, where),
                times.parse(
                        new TimeAttribute.Given(
                                "lease", annotation.lease(), annotation.leaseString(), LockRequest.MIN_LEASE),
                        annotation.timeUnit(),
                        where),
                times.parse(
                        new TimeAttribute.Given(
                                "waitFor", annotation.waitFor(), annotation.waitForString(), Duration.ZERO),
                        annotation.timeUnit(),
                        where),
                annotation.renew(),
                annotation.onContention(),
                result);
    }

    private KeySource key(DistributedLock annotation, Method method, String where) {
        String name = annotation.name();
        if (name.isBlank() && (!name.isEmpty() || annotation.key().isBlank())) {
            throw new LockDefinitionException(
                    where + " has neither a name nor a key.",
                    "Say what to lock: key = \"#order.id\", key = \"'nightly'\", or name = \"nightly\".");
        }
        return KeySource.of(name, annotation.key(), new LockedPlace(method, where, parameterNames, beans));
    }

    private static void checkSkip(DistributedLock annotation, Method method, String where) {
        Class<?> type = method.getReturnType();
        if (annotation.onContention() == OnContention.SKIP && type.isPrimitive() && type != void.class) {
            throw new LockDefinitionException(
                    where + " has onContention = SKIP, but returns the primitive " + type + ", so a skipped call has"
                            + " nothing to return.",
                    "Return " + ClassUtils.resolvePrimitiveIfNecessary(type).getSimpleName()
                            + " or an Optional instead, or use onContention = THROW.");
        }
    }
}
