package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockedFunction;
import io.holdfast.lock.spring.annotation.LockContext;
import io.holdfast.lock.spring.definition.LockDefinition;
import io.holdfast.lock.spring.result.ResultKind;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** One call under its lock. It remembers whether it began, and how it ended: the lock may fail before, and be lost meanwhile. */
final class LockedCall implements LockedFunction<@Nullable Object, Throwable> {

    private final LockDefinition definition;
    private final MethodInvocation invocation;
    private Runnable joining = () -> {};
    private boolean begun;
    private @Nullable Object result;
    private @Nullable Throwable failure;

    LockedCall(LockDefinition definition, MethodInvocation invocation) {
        this.definition = definition;
        this.invocation = invocation;
    }

    /** What is to be run under the lock, before the method. */
    void joining(Runnable value) {
        joining = value;
    }

    @Override
    @SuppressWarnings("NullAway") // what proceeds may return null
    public @Nullable Object apply(LockHandle lock) throws Throwable {
        LockContext.Scope scope = LockContext.open(lock);
        try {
            joining.run();
            begun = true;
            result = ResultKind.requireValue(invocation.proceed(), definition.caller());
            return result;
        } catch (Throwable e) {
            failure = e;
            throw e;
        } finally {
            scope.close();
        }
    }

    /** Whether the method was called: whatever is thrown since then may be its own. */
    boolean hasBegun() {
        return begun;
    }

    /**
     * {@return what the method returned, although its lock was lost}
     *
     * @throws Throwable what the method threw; the loss, if it was known before the method began
     */
    @Nullable
    Object resultDespite(LockLostException loss) throws Throwable {
        if (!begun || loss == failure) {
            throw loss;
        }
        Losses.log(definition.caller(), loss);
        if (failure != null) {
            throw failure;
        }
        return result;
    }
}
