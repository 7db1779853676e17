package io.holdfast.lock.migration.lock4j;

import io.holdfast.lock.migration.code.Constants;
import io.holdfast.lock.migration.code.Note;
import io.holdfast.lock.migration.code.NotingVisitor;
import io.holdfast.lock.migration.code.Templates;
import io.holdfast.lock.migration.code.Variables;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Statement;

/** Translates the calls; the types of the variables change afterwards. */
final class CallsVisitor extends NotingVisitor {

    private static final Note DEFAULTS = new Note(
            "this waits for 3 s, Lock4j's default; if lock4j.acquire-timeout is set, use its value",
            "lock4j.md#locktemplate");
    private static final JavaTemplate CLOSE =
            Templates.of("#{any(io.holdfast.lock.api.LockHandle)}.close()", Templates.LOCK_HANDLE);
    private static final JavaTemplate CLOSE_IF_HELD = Templates.of(
            "Optional.ofNullable(#{any(io.holdfast.lock.api.LockHandle)}).ifPresent(LockHandle::close)",
            Templates.LOCK_HANDLE,
            "java.util.Optional");
    private static final JavaTemplate KEY =
            Templates.of("#{any(io.holdfast.lock.api.LockHandle)}.key().value()", Templates.LOCK_HANDLE);

    @Override
    public J.MethodInvocation visitMethodInvocation(J.MethodInvocation visited, ExecutionContext ctx) {
        J.MethodInvocation call = super.visitMethodInvocation(visited, ctx);
        if (Calls.RELEASE.matches(call)) {
            return close(call);
        }
        if (Calls.KEY.matches(call)) {
            return KEY.apply(updateCursor(call), call.getCoordinates().replace(), select(call));
        }
        return Calls.locks(call) ? tryAcquire(call) : call;
    }

    /** Lock4j accepts null here. */
    private J.MethodInvocation close(J.MethodInvocation call) {
        Expression lock = call.getArguments().get(0);
        boolean held = isCheckedBefore(Variables.of(lock));
        if (!held) {
            maybeAddImport("java.util.Optional");
        }
        maybeAddImport(Templates.LOCK_HANDLE);
        return (held ? CLOSE : CLOSE_IF_HELD)
                .apply(updateCursor(call), call.getCoordinates().replace(), lock);
    }

    /** Whether the method returns or throws if the lock is null. */
    private boolean isCheckedBefore(JavaType.@Nullable Variable lock) {
        J.MethodDeclaration method = getCursor().firstEnclosing(J.MethodDeclaration.class);
        boolean[] found = {false};
        new JavaIsoVisitor<Integer>() {
            @Override
            public J.If visitIf(J.If check, Integer p) {
                found[0] |= check.getIfCondition().getTree() instanceof J.Binary condition
                        && condition.getOperator() == J.Binary.Type.Equal
                        && TemplateUses.isNullCheck(condition)
                        && (Variables.isSame(Variables.of(condition.getLeft()), lock)
                                || Variables.isSame(Variables.of(condition.getRight()), lock))
                        && ends(check.getThenPart());
                return super.visitIf(check, p);
            }
        }.visit(method, 0);
        return found[0];
    }

    private static boolean ends(Statement statement) {
        if (statement instanceof J.Block block) {
            List<Statement> all = block.getStatements();
            return !all.isEmpty() && ends(all.get(all.size() - 1));
        }
        return statement instanceof J.Return || statement instanceof J.Throw;
    }

    private J.MethodInvocation tryAcquire(J.MethodInvocation call) {
        List<Expression> arguments = call.getArguments();
        List<Object> parameters = new ArrayList<>(List.of(select(call), arguments.get(0)));
        StringBuilder code = new StringBuilder(
                "#{any(io.holdfast.lock.api.LockTemplate)}.tryAcquire(LockRequest.of(#{any(String)})");
        if (arguments.size() > 1 && !isAtMost(0, arguments.get(1))) {
            code.append(".lease(")
                    .append(duration(arguments.get(1), parameters))
                    .append(").renew(false)");
        }
        if (arguments.size() > 1 && !isAtMost(-1, arguments.get(2))) {
            code.append(".waitFor(")
                    .append(duration(arguments.get(2), parameters))
                    .append(")");
        } else {
            code.append(".waitFor(Duration.ofSeconds(3))");
            note(DEFAULTS);
        }
        Obstacles.WITH_COUNTERPART.forEach(this::maybeRemoveImport);
        maybeAddImport(Templates.LOCK_REQUEST);
        maybeAddImport(Templates.DURATION);
        return Templates.of(code + ").orElse(null)", Templates.LOCK_REQUEST, Templates.DURATION)
                .apply(updateCursor(call), call.getCoordinates().replace(), parameters.toArray());
    }

    private static Expression select(J.MethodInvocation call) {
        return Objects.requireNonNull(call.getSelect());
    }

    private boolean isAtMost(long limit, Expression time) {
        OptionalLong value = Constants.number(time, file());
        return value.isPresent() && value.getAsLong() <= limit;
    }

    private static String duration(Expression millis, List<Object> parameters) {
        if (millis instanceof J.Literal literal
                && literal.getValue() instanceof Number number
                && number.longValue() % 1000 == 0) {
            return "Duration.ofSeconds(" + number.longValue() / 1000 + ")";
        }
        parameters.add(millis);
        return "Duration.ofMillis(#{any(long)})";
    }
}
