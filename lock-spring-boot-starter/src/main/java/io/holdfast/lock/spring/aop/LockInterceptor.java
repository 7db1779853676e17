package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.Blockage;
import io.holdfast.lock.api.LockException;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockInterruptedException;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockResult;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LockedCallable;
import io.holdfast.lock.api.LockedFunction;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LockContext;
import io.holdfast.lock.spring.annotation.LockRequestCustomizer;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.annotation.OnLost;
import io.holdfast.lock.spring.definition.LockOperation;
import io.holdfast.lock.spring.definition.LockOperationSource;
import io.holdfast.lock.spring.key.LockExpression;
import io.holdfast.lock.spring.result.AsyncCall;
import io.holdfast.lock.spring.result.AsyncResults;
import io.holdfast.lock.spring.result.ResultKind;
import io.holdfast.lock.spring.transaction.CallerTransactions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.Lifecycle;
import org.springframework.util.function.SingletonSupplier;

/**
 * Runs one call under its lock. Looks up other beans on the first call, so that creating proxies requires no connection.
 *
 * <p>It calls the template's {@code tryExecute}, whose result distinguishes contention from everything that the method throws: a
 * {@link LockNotAcquiredException} for a nested lock comes from the method, and passes through.
 */
public final class LockInterceptor implements MethodInterceptor, AutoCloseable {

    /** The name of the bean that shuts locks down; it is no longer running when locks are refused. */
    public static final String SHUTDOWN = "holdfastShutdown";

    private static final Logger log = LoggerFactory.getLogger(DistributedLock.class);

    private final ConfigurableListableBeanFactory beans;
    private final LockOperationSource operations;
    private final Supplier<LockTemplate> template;
    private final Supplier<List<LockRequestCustomizer>> customizers;
    private final Supplier<CallerTransactions> transactions;
    private final AsyncResults async = new AsyncResults();
    private volatile boolean closed;

    /**
     * Creates an instance.
     *
     * @param beans contains the template, the request customizers and the {@link CallerTransactions}
     * @param operations specifies how methods are locked
     */
    public LockInterceptor(ConfigurableListableBeanFactory beans, LockOperationSource operations) {
        this.beans = beans;
        this.operations = operations;
        this.template = SingletonSupplier.of(() -> LockStartupCheck.template(beans));
        this.customizers = SingletonSupplier.of(() -> beans.getBeanProvider(LockRequestCustomizer.class)
                .orderedStream()
                .toList());
        this.transactions = SingletonSupplier.of(
                () -> beans.getBeanProvider(CallerTransactions.class).getIfAvailable(() -> CallerTransactions.NONE));
    }

    /** Ends its threads. Calls may still arrive later, from beans that are destroyed after this one. */
    @Override
    public void close() {
        closed = true;
        async.close();
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        LockOperation operation = operations.required(invocation);
        LockExpression.Call call = operation.scope().call(invocation.getThis(), invocation.getArguments());
        if (operation.condition() != null && !operation.condition().isTrue(call)) {
            return invocation.proceed();
        }
        LockRequest request = operation.request(call);
        for (LockRequestCustomizer each : customizers.get()) {
            request = customized(each, request, operation);
        }
        Locked locked = new Locked(operation, request, invocation);
        if (operation.result() == ResultKind.VALUE) {
            return locked.run();
        }
        var later = new AsyncCall(template, request, invocation, operation.returnType(), operation.caller(), locked);
        return async.run(operation.result(), later);
    }

    /**
     * A customizer may return null, despite its signature. A new request without a wait time gets that of the original one,
     * because the default differs between values and futures.
     */
    private static LockRequest customized(
            LockRequestCustomizer customizer, LockRequest request, LockOperation operation) {
        @Nullable LockRequest customized = customizer.customize(request, operation.method());
        if (customized == null) {
            throw new IllegalStateException(customizer.getClass().getName() + " returned null for " + operation.caller()
                    + ". Return the given request if there is nothing to change.");
        }
        return customized
                .name(customized.name().isEmpty() ? request.name() : customized.name())
                .waitFor(customized.waitFor().or(request::waitFor).orElse(Duration.ZERO));
    }

    /**
     * One call under its lock. It records whether the method has begun, and how it ended: acquiring the lock may fail before the
     * method begins, and the lock may be lost while the method runs.
     */
    private final class Locked implements LockedFunction<@Nullable Object, Throwable>, AsyncCall.Rules {

        private final LockOperation operation;
        private final LockRequest request;
        private final MethodInvocation invocation;
        private final Thread caller = Thread.currentThread();
        private final Runnable joining;
        private boolean begun;
        private @Nullable Object result;
        private @Nullable Throwable failure;

        Locked(LockOperation operation, LockRequest request, MethodInvocation invocation) {
            this.operation = operation;
            this.request = request;
            this.invocation = invocation;
            ResultKind result = operation.result();
            this.joining = result == ResultKind.VALUE || result == ResultKind.STAGE
                    ? transactions.get().before(invocation, operation.caller(), request, template.get())
                    : CallerTransactions.NOTHING; // a publisher runs when it is subscribed to, in its own transaction
        }

        @Nullable
        Object run() throws Throwable {
            LockResult<@Nullable Object> answer;
            try {
                answer = template.get().<@Nullable Object, Throwable>tryExecute(request, this);
            } catch (RuntimeException e) {
                if (!begun) {
                    return refused(e);
                }
                Throwable outcome = outcome(failure, e);
                if (outcome == null) {
                    return result;
                }
                throw outcome;
            }
            if (answer instanceof LockResult.Executed<@Nullable Object> executed) {
                return executed.value();
            }
            var refused = (LockResult.NotAcquired<@Nullable Object>) AsyncResults.required(answer, "tryExecute");
            return contended(refused.key(), refused.waited(), refused.holder(), refused.blockage());
        }

        @Override
        @SuppressWarnings("NullAway") // proceed() may return null
        public @Nullable Object apply(LockHandle lock) throws Throwable {
            try {
                result = run(lock, () -> {
                    begun = true;
                    return ResultKind.requireValue(invocation.proceed(), operation.caller());
                });
                return result;
            } catch (Throwable e) {
                failure = e;
                throw e;
            }
        }

        @Override
        public @Nullable Object run(LockHandle lock, LockedCallable<@Nullable Object, Throwable> method)
                throws Throwable {
            LockContext.Scope scope = LockContext.open(lock);
            try {
                if (Thread.currentThread() == caller) {
                    joining.run();
                }
                return method.call();
            } finally {
                scope.close();
            }
        }

        @Override
        public @Nullable Object refused(Throwable reason) throws Throwable {
            if (reason instanceof LockStoreException failed) {
                return insteadOfMethod(failed);
            }
            if (reason instanceof LockNotAcquiredException contention) {
                return contended(contention.key(), contention.waited(), contention.holder(), contention.blockage());
            }
            if (isEndOfJob(reason)) {
                log.info("{} is skipped at the shutdown: {}", operation.caller(), reason.getMessage());
                return ResultKind.skipped(operation.returnType());
            }
            throw reason;
        }

        /** Whether a scheduled method waited until the shutdown. Its only caller, the scheduler, would log an error. */
        private boolean isEndOfJob(Throwable reason) {
            return (reason instanceof LockInterruptedException || reason.getClass() == IllegalStateException.class)
                    && (closed || (beans.getSingleton(SHUTDOWN) instanceof Lifecycle locks && !locks.isRunning()))
                    && LockOperationSource.isScheduled(operation.method())
                    && ResultKind.canBeSkipped(operation.method(), operation.returnType());
        }

        /** Skips the call, calls a fallback, or throws the exception, which names the method. */
        private @Nullable Object contended(LockKey key, Duration waited, Optional<LockHolder> holder, Blockage blockage)
                throws Throwable {
            return operation.onContention() == OnContention.SKIP
                    ? ResultKind.skipped(operation.returnType())
                    : insteadOfMethod(new LockNotAcquiredException(
                            operation.caller(), key, waited, holder.orElse(null), blockage));
        }

        private @Nullable Object insteadOfMethod(LockException reason) throws Throwable {
            return operation.fallbacks().after(reason, invocation.getThis(), invocation.getArguments());
        }

        @Override
        public boolean toleratesLoss() {
            return operation.onLost() == OnLost.LOG;
        }

        @Override
        public boolean tolerates(LockLostException loss) {
            if (toleratesLoss()) {
                log.warn(
                        "{} ended after its lock was lost; its result is used anyway: {}",
                        operation.caller(),
                        loss.getMessage());
            }
            return toleratesLoss();
        }
    }
}
