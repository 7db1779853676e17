package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.spring.coroutine.SuspendFunctions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The methods that take the place of a locked method when it cannot have its lock. They run without it. */
public final class Fallbacks {

    /** What cannot have its lock fails. */
    public static final Fallbacks NONE = new Fallbacks(null, null);

    private final @Nullable Fallback contention;
    private final @Nullable Fallback storeFailure;

    Fallbacks(@Nullable Fallback contention, @Nullable Fallback storeFailure) {
        this.contention = contention;
        this.storeFailure = storeFailure;
    }

    /**
     * @param method has the parameters of the locked method, and maybe one more
     * @param takesException whether it has that one
     * @param ofSuspendFunction whether it stands for a suspend function
     */
    record Fallback(Method method, boolean takesException, boolean ofSuspendFunction) {

        @Nullable
        Object call(@Nullable Object target, @Nullable Object[] args, LockException reason) throws Throwable {
            @Nullable Object[] all = ofSuspendFunction ? SuspendFunctions.withoutContinuation(args) : args;
            if (takesException) {
                all = Arrays.copyOf(all, all.length + 1);
                all[all.length - 1] = reason;
            }
            try {
                return ofSuspendFunction
                        ? SuspendFunctions.call(method, target, args[args.length - 1], all)
                        : method.invoke(target, all);
            } catch (InvocationTargetException e) {
                throw e.getTargetException();
            }
        }
    }

    /**
     * The lock was not free in time.
     *
     * @param target what the locked method was called on
     * @param args the arguments of the call
     * @param reason is thrown if there is no fallback for it
     * @return what the fallback returns
     * @throws Throwable what the fallback throws
     */
    public @Nullable Object afterContention(
            @Nullable Object target, @Nullable Object[] args, LockNotAcquiredException reason) throws Throwable {
        if (contention == null) {
            throw reason;
        }
        return contention.call(target, args, reason);
    }

    /**
     * The store failed before the method began.
     *
     * @param target what the locked method was called on
     * @param args the arguments of the call
     * @param reason is thrown if there is no fallback that asks for it
     * @return what the fallback returns
     * @throws Throwable what the fallback throws
     */
    public @Nullable Object afterStoreFailure(
            @Nullable Object target, @Nullable Object[] args, LockStoreException reason) throws Throwable {
        if (storeFailure == null) {
            throw reason;
        }
        return storeFailure.call(target, args, reason);
    }
}
