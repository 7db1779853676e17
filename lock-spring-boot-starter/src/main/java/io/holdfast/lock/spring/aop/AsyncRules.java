package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockedCallable;
import io.holdfast.lock.spring.annotation.LockContext;
import io.holdfast.lock.spring.annotation.OnLost;
import io.holdfast.lock.spring.definition.LockDefinition;
import io.holdfast.lock.spring.result.AsyncCall;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** What {@link LockInterceptor} does itself for values, told to what runs the method at another time. */
final class AsyncRules implements AsyncCall.Rules {

    private final LockDefinition definition;
    private final MethodInvocation invocation;
    private final Runnable joining;
    private final Thread caller = Thread.currentThread();

    /**
     * Creates an instance, on the caller's thread.
     *
     * @param joining is to be run under the lock, before the method, if that is run on this thread too
     */
    AsyncRules(LockDefinition definition, MethodInvocation invocation, Runnable joining) {
        this.definition = definition;
        this.invocation = invocation;
        this.joining = joining;
    }

    @Override
    public @Nullable Object run(LockHandle lock, LockedCallable<@Nullable Object, Throwable> method) throws Throwable {
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
    public @Nullable Object refused(Throwable failure) throws Throwable {
        if (failure instanceof LockStoreException failed) {
            return LockInterceptor.failed(definition, invocation, failed);
        }
        if (!(failure instanceof LockNotAcquiredException contention)) {
            throw failure;
        }
        return LockInterceptor.refused(
                definition,
                invocation,
                contention.key(),
                contention.waited(),
                contention.holder(),
                contention.blockage());
    }

    @Override
    public boolean toleratesLoss() {
        return definition.onLost() == OnLost.LOG;
    }

    @Override
    public void tolerated(LockLostException loss) {
        Losses.log(definition.caller(), loss);
    }
}
