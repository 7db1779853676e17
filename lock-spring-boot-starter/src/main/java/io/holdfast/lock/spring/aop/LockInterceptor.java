package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.Blockage;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockResult;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.annotation.OnLost;
import io.holdfast.lock.spring.definition.LockDefinition;
import io.holdfast.lock.spring.definition.LockDefinitions;
import io.holdfast.lock.spring.result.Answers;
import io.holdfast.lock.spring.result.AsyncCall;
import io.holdfast.lock.spring.result.AsyncResults;
import io.holdfast.lock.spring.result.ResultKind;
import io.holdfast.lock.spring.transaction.CallerTransactions;
import java.time.Duration;
import java.util.Optional;
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
    private final LockRequests requests;
    private final Supplier<LockTemplate> template;
    private final Supplier<CallerTransactions> transactions;
    private final AsyncResults async = new AsyncResults();

    /**
     * Creates an instance.
     *
     * @param template is asked when a method is called, so that building the advisor needs no connection
     * @param transactions likewise
     */
    LockInterceptor(
            LockDefinitions definitions,
            LockRequests requests,
            Supplier<LockTemplate> template,
            Supplier<CallerTransactions> transactions) {
        this.definitions = definitions;
        this.requests = requests;
        this.template = template;
        this.transactions = transactions;
    }

    /** Ends its threads. */
    void close() {
        async.close();
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Class<?> targetClass =
                target == null ? invocation.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
        LockDefinition definition = definition(invocation, targetClass);
        @Nullable Object[] args = invocation.getArguments();
        ArgumentValidation.check(invocation);
        if (!definition.condition().matches(target, targetClass, args)) {
            return invocation.proceed();
        }
        LockRequest request = requests.of(definition, target, targetClass, args);
        return definition.result() == ResultKind.VALUE
                ? run(definition, request, invocation)
                : async.run(definition.result(), asyncCall(definition, request, invocation));
    }

    /**
     * The annotation may be on an interface that only a proxy has: that of a Spring Data repository, whose target is the
     * general implementation. The pointcut was asked for the class of that proxy.
     */
    private LockDefinition definition(MethodInvocation invocation, Class<?> targetClass) {
        Object target = invocation.getThis();
        boolean ofTarget =
                target == null || invocation.getMethod().getDeclaringClass().isAssignableFrom(targetClass);
        LockDefinition definition = ofTarget ? definitions.find(invocation.getMethod(), targetClass) : null;
        if (definition == null && target != null) {
            definition = definitions.find(invocation.getMethod(), target.getClass());
        }
        if (definition == null) {
            throw new IllegalStateException(
                    invocation.getMethod() + " should be locked, but there is no @DistributedLock"
                            + " for it on " + targetClass.getName()
                            + ", so it was not called. Put the annotation on that class, or"
                            + " use LockTemplate inside the method.");
        }
        return definition;
    }

    @SuppressWarnings("NullAway") // what proceeds may return null
    private @Nullable Object run(LockDefinition definition, LockRequest request, MethodInvocation invocation)
            throws Throwable {
        LockedCall call = new LockedCall(definition, invocation);
        LockResult<@Nullable Object> result;
        try {
            LockTemplate locks = template.get();
            call.joining(joining(definition, request, invocation, locks));
            result = Answers.required(locks.<@Nullable Object, Throwable>tryExecute(request, call), "tryExecute");
        } catch (LockLostException e) {
            if (definition.onLost() != OnLost.LOG) {
                throw e;
            }
            return call.resultDespite(e);
        } catch (LockStoreException e) {
            if (call.hasBegun()) {
                throw e;
            }
            return failed(definition, invocation, e);
        }
        if (result instanceof LockResult.Executed<@Nullable Object> executed) {
            return executed.value();
        }
        var refused = (LockResult.NotAcquired<@Nullable Object>) result;
        return refused(definition, invocation, refused.key(), refused.waited(), refused.holder(), refused.blockage());
    }

    /** To be run under the lock, on this thread. */
    private Runnable joining(
            LockDefinition definition, LockRequest request, MethodInvocation invocation, LockTemplate locks) {
        return transactions.get().before(invocation, definition.caller(), request, locks);
    }

    /** A publisher works at its subscription, in a transaction of its own. Without a template, acquiring will say so. */
    private Runnable asyncJoining(LockDefinition definition, LockRequest request, MethodInvocation invocation) {
        try {
            return definition.result() == ResultKind.STAGE
                    ? joining(definition, request, invocation, template.get())
                    : CallerTransactions.NOTHING;
        } catch (LockStoreException noTemplate) {
            return CallerTransactions.NOTHING;
        }
    }

    private AsyncCall asyncCall(LockDefinition definition, LockRequest request, MethodInvocation invocation) {
        AsyncRules rules = new AsyncRules(definition, invocation, asyncJoining(definition, request, invocation));
        return new AsyncCall(template, request, invocation, definition.returnType(), definition.caller(), rules);
    }

    static @Nullable Object failed(LockDefinition definition, MethodInvocation invocation, LockStoreException failure)
            throws Throwable {
        return definition.fallbacks().afterStoreFailure(invocation.getThis(), invocation.getArguments(), failure);
    }

    /** Contention: nothing, a fallback, or the exception, which names the method. */
    static @Nullable Object refused(
            LockDefinition definition,
            MethodInvocation invocation,
            LockKey key,
            Duration waited,
            Optional<LockHolder> holder,
            Blockage blockage)
            throws Throwable {
        var contention = new LockNotAcquiredException(definition.caller(), key, waited, holder.orElse(null), blockage);
        return definition.onContention() == OnContention.SKIP
                ? ResultKind.skipped(definition.returnType())
                : definition.fallbacks().afterContention(invocation.getThis(), invocation.getArguments(), contention);
    }
}
