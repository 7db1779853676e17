package io.holdfast.lock.spring.leader;

import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** Runs one call if this instance leads. */
final class LeaderInterceptor implements MethodInterceptor {

    private final GuardedMethods methods;
    private final Supplier<LeaderRoles> roles;

    LeaderInterceptor(GuardedMethods methods, Supplier<LeaderRoles> roles) {
        this.methods = methods;
        this.roles = roles;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Class<?> targetClass =
                target == null ? invocation.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
        GuardedMethod guarded = methods.find(invocation.getMethod(), targetClass);
        if (guarded == null) {
            throw new IllegalStateException(
                    invocation.getMethod() + " should only run on the leader, but there is no @LeaderOnly for it on "
                            + targetClass.getName() + ", so it was not called. Put the annotation on that class.");
        }
        return roles.get().of(guarded.role()).isLeader() ? invocation.proceed() : guarded.skipped();
    }
}
