package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import java.lang.reflect.Method;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

/** Turns an annotation into a {@link LockDefinition}, or says what is wrong with it. */
final class DefinitionParser {

    private final TimeAttribute times;
    private final DefaultParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();

    /**
     * Creates an instance.
     *
     * @param placeholders replaces {@code ${…}} in text attributes
     */
    DefinitionParser(StringValueResolver placeholders) {
        this.times = new TimeAttribute(placeholders);
    }

    LockDefinition parse(DistributedLock annotation, Method method, Class<?> userClass) {
        String where = describe(method, userClass);
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

    /** The annotated place in full: class, method, parameter types. */
    static String describe(Method method, Class<?> userClass) {
        return "@DistributedLock on " + ClassUtils.getQualifiedMethodName(method, userClass) + parameters(method);
    }

    private static String parameters(Method method) {
        StringBuilder text = new StringBuilder("(");
        for (Class<?> type : method.getParameterTypes()) {
            text.append(text.length() > 1 ? ", " : "").append(type.getSimpleName());
        }
        return text.append(')').toString();
    }

    private KeySource key(DistributedLock annotation, Method method, String where) {
        String name = annotation.name();
        if (name.isBlank() && (!name.isEmpty() || annotation.key().isBlank())) {
            throw new LockDefinitionException(
                    where + " has neither a name nor a key.",
                    "Say what to lock: key = \"#order.id\", key = \"'nightly'\", or name = \"nightly\".");
        }
        KeyExpression expression = expression(annotation.key(), method, where);
        return new KeySource(name, expression);
    }

    private @Nullable KeyExpression expression(String key, Method method, String where) {
        return key.isBlank() ? null : KeyExpression.parse(key, method, where, parameterNames);
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
