package io.holdfast.lock.migration.redisson;

import io.holdfast.lock.migration.code.Parameters;
import io.holdfast.lock.migration.code.Templates;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;

/** Translates a call to Redisson's client that creates a lock into a call to Holdfast's template. */
final class Factory {

    private final J.MethodInvocation call;
    private final Component component;
    private final List<Object> parameters = new ArrayList<>();
    private final String template;

    Factory(J.MethodInvocation call, Component component, String template) {
        this.call = call;
        this.component = component;
        this.template = template;
    }

    J.MethodInvocation fromTemplate(Cursor cursor, @Nullable JavaType owner) {
        parameters.add(Parameters.template(template, owner));
        String code = "#{any(io.holdfast.lock.api.LockTemplate)}." + code();
        return Templates.of(code, MigrateLocks.imports())
                .apply(cursor, call.getCoordinates().replace(), parameters.toArray());
    }

    private String code() {
        if (RedissonTypes.MULTI_LOCK.matches(call)) {
            String keys = call.getArguments().stream().map(this::key).collect(Collectors.joining(", "));
            return "getLock(" + component.lease().addTo("LockRequest.ofAll(List.of(" + keys + "))", parameters) + ")";
        }
        parameters.add(call.getArguments().get(0));
        if (RedissonTypes.GET_SEMAPHORE.matches(call)) {
            parameters.add(component.permits().orElseThrow());
            return "getSemaphore(#{any(String)}, #{any(int)})";
        }
        return component.lease().isGiven() ? withLease() : method() + "(#{any(String)})";
    }

    private String method() {
        if (RedissonTypes.READ_WRITE.matches(call)) {
            return "getReadWriteLock";
        }
        return RedissonTypes.FAIR_LOCK.matches(call) ? "getFairLock" : "getLock";
    }

    private String withLease() {
        String request = RedissonTypes.FAIR_LOCK.matches(call)
                ? "LockRequest.of(#{any(String)}).fair(true)"
                : "LockRequest.of(#{any(String)})";
        String method = RedissonTypes.READ_WRITE.matches(call) ? "getReadWriteLock(" : "getLock(";
        return method + component.lease().addTo(request, parameters) + ")";
    }

    /** The key of a lock in a multi-lock: from the call that creates it, or from the lock in a variable. */
    private String key(Expression lock) {
        if (lock instanceof J.MethodInvocation factory && RedissonTypes.isFactory(factory)) {
            parameters.add(factory.getArguments().get(0));
            return "#{any(String)}";
        }
        parameters.add(lock);
        return "#{any(io.holdfast.lock.api.RemoteLock)}.key().value()";
    }
}
