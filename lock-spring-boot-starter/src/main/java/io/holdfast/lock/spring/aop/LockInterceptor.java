package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockResult;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.definition.LockDefinition;
import io.holdfast.lock.spring.definition.LockDefinitions;
import io.holdfast.lock.spring.result.ResultKind;
import io.holdfast.lock.spring.result.StageLock;
import java.time.Duration;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/**
 * Runs one call under its lock.
 *
 * <p>It asks the template with {@code tryExecute}, whose answer tells contention apart from everything that the method
 * throws: a {@link LockNotAcquiredException} of a nested lock is the method's own, and passes through.
 */
final class LockInterceptor implements MethodInterceptor {

    private final LockDefinitions definitions;
    private final Supplier<LockTemplate> template;
    private final Supplier<Duration> defaultWait;
    private final StageLock stages = new StageLock();

    /**
     * Creates an instance.
     *
     * @param template is asked at each call, so that building the advisor needs no connection
     * @param defaultWait how long to wait where the annotation says nothing
     */
    LockInterceptor(LockDefinitions definitions, Supplier<LockTemplate> template, Supplier<Duration> defaultWait) {
        this.definitions = definitions;
        this.template = template;
        this.defaultWait = defaultWait;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Class<?> targetClass =
                target == null ? invocation.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
        LockDefinition definition = definitions.find(invocation.getMethod(), targetClass);
        if (definition == null) {
            return invocation.proceed();
        }
        LockRequest request = definition.request(target, targetClass, invocation.getArguments(), defaultWait.get());
        return definition.result() == ResultKind.STAGE
                ? runStage(definition, request, invocation)
                : run(definition, request, invocation);
    }

    @SuppressWarnings("NullAway") // what proceeds may return null
    private @Nullable Object run(LockDefinition definition, LockRequest request, MethodInvocation invocation)
            throws Throwable {
        LockResult<@Nullable Object> result = template.get()
                .<@Nullable Object, Throwable>tryExecute(
                        request, lock -> ResultKind.requireValue(invocation.proceed(), definition.caller()));
        if (result instanceof LockResult.Executed<@Nullable Object> executed) {
            return executed.value();
        }
        var refused = (LockResult.NotAcquired<@Nullable Object>) result;
        return refused(
                definition,
                new LockNotAcquiredException(
                        definition.caller(),
                        refused.key(),
                        refused.waited(),
                        refused.holder().orElse(null)));
    }

    private @Nullable Object runStage(LockDefinition definition, LockRequest request, MethodInvocation invocation)
            throws Throwable {
        LockHandle handle;
        try {
            handle = template.get().acquire(request);
        } catch (LockNotAcquiredException e) {
            return refused(
                    definition,
                    new LockNotAcquiredException(
                            definition.caller(), e.key(), e.waited(), e.holder().orElse(null)));
        }
        return stages.hold(handle, invocation);
    }

    private static @Nullable Object refused(LockDefinition definition, LockNotAcquiredException contention) {
        if (definition.onContention() == OnContention.THROW) {
            throw contention;
        }
        return ResultKind.skipped(definition.method().getReturnType());
    }
}
