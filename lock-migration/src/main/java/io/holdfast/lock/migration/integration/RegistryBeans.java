package io.holdfast.lock.migration.integration;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** Which beans are a {@code RedisLockRegistry}, and which of its methods have a counterpart. */
final class RegistryBeans {

    static final String FORMER = "org.springframework.integration.redis.util.RedisLockRegistry";
    static final String BEAN = "org.springframework.context.annotation.Bean";
    static final String CONNECTION_FACTORY = "org.springframework.data.redis.connection.RedisConnectionFactory";
    static final MethodMatcher CREATION = new MethodMatcher(FORMER + " <constructor>(..)");
    static final MethodMatcher SETTER = new MethodMatcher(FORMER + " set*(..)");
    static final String RENEWAL = "setRenewalTaskScheduler";

    private static final Set<String> COUNTERPARTS =
            Set.of("obtain", "executeLocked", "renewLock", "expireUnusedOlderThan", "toString", "equals", "hashCode");
    private static final Set<String> SETTERS =
            Set.of(RENEWAL, "setRedisLockType", "setCacheCapacity", "setExecutor", "setIdleBetweenTries");

    private RegistryBeans() {}

    static boolean isFormer(@Nullable JavaType type) {
        return TypeUtils.isOfClassType(type, FORMER);
    }

    static boolean isBean(J.MethodDeclaration method) {
        return method.getLeadingAnnotations().stream().anyMatch(each -> TypeUtils.isOfClassType(each.getType(), BEAN));
    }

    /** Holdfast's registry takes a template, which only a bean method can easily obtain. */
    static boolean isInBean(Cursor cursor) {
        J.MethodDeclaration method = cursor.firstEnclosing(J.MethodDeclaration.class);
        J.Lambda lambda = cursor.firstEnclosing(J.Lambda.class);
        return method != null && lambda == null && isBean(method);
    }

    /** A setter call must be a statement in a bean method, so that it can be removed. */
    static boolean hasCounterpart(J.MethodInvocation call, Cursor cursor) {
        if (SETTERS.contains(call.getSimpleName())) {
            return isInBean(cursor) && cursor.getParentTreeCursor().getValue() instanceof J.Block;
        }
        return COUNTERPARTS.contains(call.getSimpleName());
    }
}
