package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.LockException;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockInterruptedException;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LockedCallable;
import io.holdfast.lock.spring.LockContext;
import io.holdfast.lock.spring.LockRequestCustomizer;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.annotation.OnLost;
import io.holdfast.lock.spring.definition.LockOperation;
import io.holdfast.lock.spring.definition.LockOperationSource;
import io.holdfast.lock.spring.key.LockExpression;
import io.holdfast.lock.spring.result.LockedCall;
import io.holdfast.lock.spring.result.PublisherLock;
import io.holdfast.lock.spring.result.ResultKind;
import io.holdfast.lock.spring.result.SuspendSupport;
import io.holdfast.lock.spring.transaction.CallerTransactions;
import io.holdfast.lock.threads.DaemonThreads;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.Lifecycle;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;
import reactor.core.scheduler.Schedulers;

/**
 * Runs one call under its lock. Looks up other beans on the first call, so that creating proxies requires no connection.
 *
 * <p>It acquires the lock before it calls the method, so it distinguishes contention from everything that the method throws: a
 * {@link LockNotAcquiredException} for a nested lock comes from the method, and passes through.
 *
 * <p>A value and a stage follow one protocol: acquire, run the method, release, report the failure of the method or the loss of the lock.
 * For a stage, the release waits until the stage is complete, and takes place on a thread of the lock client. Code that waits for the
 * result continues on the threads of this class, and may block. These are daemons that end when idle, and when this object is closed.
 */
public final class LockInterceptor implements MethodInterceptor, AutoCloseable {

    /** The name of the bean that shuts locks down; it is no longer running when locks are refused. */
    public static final String SHUTDOWN = "holdfastShutdown";

    private static final Logger log = LoggerFactory.getLogger(DistributedLock.class);

    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofMillis(500);

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.scheduler.Schedulers", LockInterceptor.class.getClassLoader());

    private final ConfigurableListableBeanFactory beans;
    private final LockOperationSource operations;
    private final Supplier<LockTemplate> template;
    private final Supplier<List<LockRequestCustomizer>> customizers;
    private final Supplier<CallerTransactions> transactions;
    private final Supplier<Optional<JobCalls>> jobs;
    private final ExecutorService threads = DaemonThreads.pool(Integer.MAX_VALUE, "holdfast-result");
    private final Executor results = task -> DaemonThreads.executeOrRun(threads, task);
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
        this.jobs = SingletonSupplier.of(() -> JobCalls.in(beans));
    }

    /**
     * Ends idle threads, and waits for busy ones for at most half a second. Calls may still arrive later, from beans that are destroyed
     * after this one: their results continue on the thread that completes them.
     */
    @Override
    public void close() {
        closed = true;
        boolean ended = DaemonThreads.end(SHUTDOWN_TIMEOUT, threads);
        log.trace("Threads for results have ended: {}", ended);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        LockOperation operation = operations.required(invocation);
        LockExpression.Call call = operation.scope().call(invocation.getThis(), invocation.getArguments());
        if (operation.condition() != null && !operation.condition().isTrue(call)) {
            return invocation.proceed();
        }
        LockRequest request = request(operation, call);
        if (operation.result() == ResultKind.VALUE || operation.result() == ResultKind.STAGE) {
            return new Locked(this, operation, request, invocation).run();
        }
        MethodInvocation kept = ((ProxyMethodInvocation) invocation).invocableClone(); // may continue at any later time
        LockedCall later = new Locked(this, operation, request, kept);
        return operation.result() == ResultKind.SUSPENDED
                ? Objects.requireNonNull(SuspendSupport.PROVIDED).run(later)
                : new PublisherLock(later, operation.returnType(), results).locked();
    }

    /**
     * {@return what a call locks: as its annotation says, and as the customizers of the application change it}
     *
     * @param operation the method
     * @param call its arguments
     */
    public LockRequest request(LockOperation operation, LockExpression.Call call) {
        LockRequest request = operation.request(call);
        for (LockRequestCustomizer each : customizers.get()) {
            request = customized(each, request, operation);
        }
        return request;
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

    /** One call under its lock. */
    private record Locked(
            LockInterceptor interceptor, LockOperation operation, LockRequest request, MethodInvocation invocation)
            implements LockedCall {

        /**
         * The caller's thread waits for the lock and runs the method, so that locks are reentrant. If the method returns a stage, the
         * caller gets a separate future, which completes after the lock has been released, exceptionally with the loss if the lock was
         * lost.
         */
        @Nullable
        @SuppressWarnings({"FutureReturnValueIgnored", "NullAway"}) // the caller's future; proceed() may return null
        Object run() throws Throwable {
            boolean isStage = operation.result() == ResultKind.STAGE;
            if (isStage && REACTOR && Schedulers.isInNonBlockingThread()) {
                throw new IllegalStateException(operation.caller() + " would wait for its lock on "
                        + Thread.currentThread().getName() + ", a thread that must not block. Return a Mono, which is"
                        + " locked without waiting, or call the method on another thread.");
            }
            Runnable joining =
                    interceptor.transactions.get().before(invocation, operation.caller(), request, template());
            Optional<JobCalls.Call> job = operation.isJob()
                    ? interceptor.jobs.get().flatMap(jobs -> jobs.of(operation, invocation, request))
                    : Optional.empty();
            LockHandle lock;
            try {
                lock = job.isPresent()
                        ? job.get().acquire().orElse(null)
                        : template().acquire(request);
                if (lock == null && job.isPresent()) {
                    return ResultKind.skipped(operation.returnType());
                } else if (lock == null) { // by a mock without stubs
                    throw LockedCall.notCalled("acquire", "returned null");
                }
            } catch (RuntimeException failure) {
                Object instead = refused(failure);
                return instead == null && isStage ? CompletableFuture.completedFuture(null) : instead;
            }
            LockedCallable<@Nullable Object, Throwable> method = () -> {
                joining.run();
                return invocation.proceed();
            };
            Object result;
            try (LockContext.Scope scope = LockContext.open(lock)) {
                Object returned = job.isPresent() ? job.get().run(method) : method.call();
                result = isStage ? returned : ResultKind.requireValue(returned, operation.caller());
            } catch (Throwable failure) {
                throw Objects.requireNonNull(close(lock, failure));
            }
            if (result instanceof CompletionStage<?> stage) {
                return follow(stage, lock);
            }
            Throwable unfollowed =
                    result instanceof Future<?> future && !future.isDone() ? unfollowed(future, null) : null;
            Throwable failure = close(lock, unfollowed);
            if (failure != null) {
                throw failure;
            }
            return result;
        }

        /** Closes the handle; returns the failure to report to the caller. */
        private @Nullable Throwable close(LockHandle lock, @Nullable Throwable own) {
            try {
                lock.close();
                return own;
            } catch (RuntimeException | Error failure) {
                return outcome(own, failure);
            }
        }

        private static IllegalStateException unfollowed(Object result, @Nullable Throwable refusal) {
            return new IllegalStateException(
                    "The lock was released although its work may still be running, because "
                            + result.getClass().getName()
                            + " accepts no dependents. Return a CompletableFuture instead.",
                    refusal);
        }

        /** Releases elsewhere: the thread that completes the work may be an event loop. The caller's actions may block. */
        @SuppressWarnings("FutureReturnValueIgnored") // the result completes instead
        private <T> CompletableFuture<T> follow(CompletionStage<T> stage, LockHandle lock) {
            CompletableFuture<T> result = new CompletableFuture<>();
            try {
                detach(lock, stage);
                stage.whenComplete((value, failure) -> released(lock)
                        .whenComplete((nothing, loss) -> interceptor.results.execute(
                                () -> LockedCall.complete(result, value, outcome(failure, loss)))));
            } catch (Throwable refusal) {
                return CompletableFuture.failedFuture(close(lock, unfollowed(stage, refusal)));
            }
            var unused = result.whenComplete((value, failure) -> {
                if (result.isCancelled()) {
                    cancel(stage);
                }
            });
            return result;
        }

        /** A mock without stubs returns null. */
        private static CompletableFuture<@Nullable Void> released(LockHandle lock) {
            return Objects.requireNonNullElseGet(lock.closeAsync(), () -> CompletableFuture.completedFuture(null));
        }

        /** The method may have closed its handle; then there is nothing to pass on. */
        private void detach(LockHandle lock, CompletionStage<?> stage) {
            try {
                lock.detach();
                if (request.interruptOnLoss()) {
                    lock.onLost(loss -> cancel(stage));
                }
            } catch (IllegalStateException closedByTheMethod) {
                log.debug("{} was closed before its work was complete", lock, closedByTheMethod);
            }
        }

        private static void cancel(CompletionStage<?> stage) {
            stage.toCompletableFuture().cancel(true);
        }

        // For work that begins later, or goes on elsewhere.

        @Override
        public LockTemplate template() {
            return interceptor.template.get();
        }

        @Override
        @SuppressWarnings("NullAway") // proceed() may return null
        public @Nullable Object runElsewhere(LockHandle lock, @Nullable Object[] arguments) throws Throwable {
            MethodInvocation copy = ((ProxyMethodInvocation) invocation).invocableClone(arguments);
            try (LockContext.Scope scope = LockContext.open(lock)) {
                return ExposeInvocationInterceptor.INSTANCE.invoke(copy);
            }
        }

        @Override
        public @Nullable Object refused(Throwable reason) throws Throwable {
            if (reason instanceof LockStoreException failed) {
                return insteadOfMethod(failed);
            }
            if (reason instanceof LockNotAcquiredException contention) {
                return operation.onContention() == OnContention.SKIP
                        ? ResultKind.skipped(operation.returnType())
                        : insteadOfMethod(named(contention));
            }
            if (isEndOfJob(reason)) {
                log.info("{} is skipped at the shutdown: {}", operation.caller(), reason.getMessage());
                return ResultKind.skipped(operation.returnType());
            }
            throw reason;
        }

        private LockNotAcquiredException named(LockNotAcquiredException contention) {
            LockHolder holder = contention.holder().orElse(null);
            return new LockNotAcquiredException(
                    operation.caller(), contention.key(), contention.waitedFor(), holder, contention.blockage());
        }

        /** Whether a scheduled method waited until the shutdown. Its only caller, the scheduler, would log an error. */
        private boolean isEndOfJob(Throwable reason) {
            return (reason instanceof LockInterruptedException || reason.getClass() == IllegalStateException.class)
                    && (interceptor.closed
                            || (interceptor.beans.getSingleton(SHUTDOWN) instanceof Lifecycle locks
                                    && !locks.isRunning()))
                    && LockOperationSource.isScheduled(operation.method())
                    && ResultKind.canBeSkipped(operation.method(), operation.returnType());
        }

        private @Nullable Object insteadOfMethod(LockException reason) throws Throwable {
            return operation.fallbacks().after(reason, invocation.getThis(), invocation.getArguments());
        }

        @Override
        public boolean toleratesLoss() {
            return operation.onLost() == OnLost.LOG;
        }

        @Override
        public @Nullable Throwable outcome(@Nullable Throwable own, @Nullable Throwable ofRelease) {
            if (ofRelease == null) {
                return own;
            }
            if (ofRelease instanceof LockLostException loss) {
                boolean isKnown = own instanceof LockLostException same
                        && same.key().equals(loss.key())
                        && same.fencingToken() == loss.fencingToken();
                if (isKnown) {
                    return own;
                }
                if (toleratesLoss()) {
                    log.warn(
                            "{} ended after its lock was lost; its result is used anyway: {}",
                            operation.caller(),
                            loss.getMessage());
                    return own;
                }
            }
            boolean isAdded = Arrays.asList(ofRelease.getSuppressed()).contains(own); // by the template
            if (own != null && own != ofRelease && !isAdded) {
                ofRelease.addSuppressed(own);
            }
            return ofRelease;
        }
    }
}
