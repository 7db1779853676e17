package io.holdfast.lock.spring.leader;

import io.holdfast.lock.spring.result.ResultKind;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A method that runs on the leader only.
 *
 * @param method of the bean's class
 * @param role in which the instance has to lead
 * @param returnType what it returns in the bean's class, type variables resolved
 */
record GuardedMethod(Method method, String role, Class<?> returnType) {

    /** What a call returns that did not run. */
    @Nullable
    Object skipped() {
        return !returnType.equals(Object.class) && returnType.isAssignableFrom(CompletableFuture.class)
                ? CompletableFuture.completedFuture(null)
                : ResultKind.skipped(returnType);
    }
}
