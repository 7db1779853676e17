package io.holdfast.lock.spring.aop;

import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.definition.LockDefinition;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;

/**
 * Checks that {@code @Async} methods are locked by the thread that works. The other way round, the caller would give the
 * lock back as soon as the work has been handed to another thread.
 */
final class AsyncOrder {

    private AsyncOrder() {}

    /**
     * @param bean as it is called; behind several proxies, the outermost one
     * @param locked its locked methods
     */
    static void check(String name, @Nullable Object bean, List<LockDefinition> locked) {
        boolean insideOfLock = false;
        for (Object each = bean; each instanceof Advised proxy; each = AopProxyUtils.getSingletonTarget(proxy)) {
            for (Advisor advisor : proxy.getAdvisors()) {
                insideOfLock |= advisor instanceof LockAdvisor;
                if (insideOfLock && advisor instanceof AsyncAnnotationAdvisor async) {
                    locked.forEach(definition -> refuse(name, definition, async.getPointcut()));
                }
            }
        }
    }

    private static void refuse(String name, LockDefinition definition, Pointcut async) {
        Class<?> type = definition.method().getDeclaringClass();
        if (async.getClassFilter().matches(type) && async.getMethodMatcher().matches(definition.method(), type)) {
            throw new LockDefinitionException(
                    "The lock of " + LockDefinition.describe(definition.method(), type)
                            + " would be released before the method's work is done: bean '" + name + "' is proxied for"
                            + " @Async before it is proxied for the lock, so the lock wraps the asynchronous call.",
                    "Keep the default order of @EnableAsync, which is the lowest precedence.");
        }
    }
}
