package io.holdfast.lock.migration.redisson;

import io.holdfast.lock.migration.code.Templates;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.Tree;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.Statement;

/** Translates a method call on a Redisson lock whose declaration already uses Holdfast's type. */
final class Translation {

    private static final String TOKEN = "lockAndGetToken";

    private final J.MethodInvocation call;
    private final boolean isSemaphore;

    Translation(J.MethodInvocation call, @Nullable JavaType former) {
        this.call = call;
        this.isSemaphore = RedissonTypes.is(former, RedissonTypes.SEMAPHORE);
    }

    J.@Nullable MethodInvocation translated(Cursor cursor) {
        if (isSemaphore) {
            return translatedSemaphore();
        }
        return switch (call.getSimpleName()) {
            case "getHoldCount" -> named(call, "holdCount");
            case "getToken" -> named(call, "fencingToken");
            case "getName" ->
                Templates.of("#{any(io.holdfast.lock.api.RemoteLock)}.key().value()")
                        .apply(cursor, call.getCoordinates().replace(), Objects.requireNonNull(call.getSelect()));
            case "tryLock" -> named(withoutLease(3, 1), "tryLock");
            case "lock", "lockInterruptibly" -> named(withoutLease(2, 0), call.getSimpleName());
            default -> named(call, call.getSimpleName());
        };
    }

    /** The lease, and the unit if nothing else needs it, are now part of the lock. */
    private J.MethodInvocation withoutLease(int size, int lease) {
        List<Expression> arguments = call.getArguments();
        if (arguments.size() != size) {
            return call;
        }
        if (size == 2) {
            return call.withArguments(List.of(new J.Empty(Tree.randomId(), Space.EMPTY, call.getMarkers())));
        }
        return call.withArguments(ListUtils.map(arguments, (i, each) -> i == lease ? null : each));
    }

    private J.@Nullable MethodInvocation translatedSemaphore() {
        return switch (call.getSimpleName()) {
            case "trySetPermits" -> null;
            case "acquire" -> named(call, "lockInterruptibly");
            case "release" -> named(call, "unlock");
            default -> named(call, "tryLock");
        };
    }

    static J.MethodInvocation named(J.MethodInvocation call, String name) {
        JavaType.Method former = Objects.requireNonNull(call.getMethodType());
        JavaType.FullyQualified owner = JavaType.ShallowClass.build(
                Objects.requireNonNullElse(RedissonTypes.counterpart(former.getDeclaringType()), Templates.LOCK));
        String result = RedissonTypes.counterpart(former.getReturnType());
        JavaType.Method type = former.withDeclaringType(owner)
                .withName(name)
                .withReturnType(result == null ? former.getReturnType() : JavaType.ShallowClass.build(result));
        int arguments = (int) call.getArguments().stream()
                .filter(each -> !(each instanceof J.Empty))
                .count();
        type = type.withParameterTypes(type.getParameterTypes().subList(0, arguments))
                .withParameterNames(type.getParameterNames().subList(0, arguments));
        return call.withName(call.getName().withSimpleName(name).withType(type)).withMethodType(type);
    }

    static boolean isTokenOfNewLock(J.MethodInvocation call) {
        return call.getSimpleName().equals(TOKEN)
                && call.getMethodType() != null
                && RedissonTypes.is(call.getMethodType().getDeclaringType(), Templates.LOCK);
    }

    static Statement acquisition(J.MethodInvocation call, Space prefix) {
        J.MethodInvocation lock = named(call, "lock");
        JavaType.Method type = Objects.requireNonNull(lock.getMethodType()).withReturnType(JavaType.Primitive.Void);
        return lock.withMethodType(type)
                .withName(lock.getName().withType(type))
                .withId(Tree.randomId())
                .withPrefix(prefix);
    }

    @SuppressWarnings("NullAway") // the result is null only for a null list
    static Statement withToken(Statement declaration) {
        J.VariableDeclarations token = (J.VariableDeclarations) declaration;
        return token.withVariables(ListUtils.mapFirst(
                        token.getVariables(),
                        variable -> variable.withInitializer(named(
                                (J.MethodInvocation) Objects.requireNonNull(variable.getInitializer()),
                                "fencingToken"))))
                .withPrefix(Space.format("\n" + declaration.getPrefix().getIndent()));
    }
}
