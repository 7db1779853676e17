package io.holdfast.lock.migration.integration;

import io.holdfast.lock.migration.code.Templates;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
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

    /** What a migrated file may import. */
    static final List<String> TYPES = List.of(Templates.REGISTRY, Templates.LOCK_TEMPLATE, Templates.DURATION);

    private RegistryBeans() {}

    static boolean isUsedIn(JavaSourceFile file) {
        return file.getTypesInUse().getTypesInUse().stream().anyMatch(RegistryBeans::isFormer);
    }

    static boolean isLockType(@Nullable JavaType type) {
        return TypeUtils.isOfClassType(type, FORMER + "$RedisLockType");
    }

    /** Whether the code is an argument of a setter, which is removed. */
    static boolean isInSetter(Cursor cursor) {
        J.MethodInvocation call = cursor.firstEnclosing(J.MethodInvocation.class);
        return call != null && SETTER.matches(call) && cursor.firstEnclosing(J.Lambda.class) == null;
    }

    static boolean isOverriding(J.MethodDeclaration method) {
        return method.getMethodType() == null || method.getMethodType().getOverride() != null;
    }

    static boolean hasVariable(J.MethodDeclaration method, String name) {
        boolean[] found = {false};
        new JavaIsoVisitor<Integer>() {
            @Override
            public J.VariableDeclarations.NamedVariable visitVariable(
                    J.VariableDeclarations.NamedVariable variable, Integer p) {
                found[0] |= variable.getSimpleName().equals(name);
                return super.visitVariable(variable, p);
            }
        }.visit(method, 0);
        return found[0];
    }

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

    static boolean hasCounterpart(J.MemberReference reference) {
        return COUNTERPARTS.contains(reference.getReference().getSimpleName());
    }

    /** A setter call must be a statement in a bean method, so that it can be removed. */
    static boolean hasCounterpart(J.MethodInvocation call, Cursor cursor) {
        if (SETTERS.contains(call.getSimpleName())) {
            return isInBean(cursor) && cursor.getParentTreeCursor().getValue() instanceof J.Block;
        }
        return COUNTERPARTS.contains(call.getSimpleName());
    }
}
