package io.holdfast.lock.migration.build;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;

/** Replaces dependencies that are written as one string, such as {@code implementation 'net.javacrumbs.shedlock:shedlock-spring:7.10.1'}. */
final class GradleVisitor extends JavaVisitor<ExecutionContext> {

    private final Artifacts former;
    private boolean added;

    GradleVisitor(Artifacts former) {
        this.former = former;
    }

    static boolean declares(JavaSourceFile file, Artifacts artifacts) {
        AtomicBoolean found = new AtomicBoolean();
        new JavaVisitor<AtomicBoolean>() {
            @Override
            public J visitLiteral(J.Literal literal, AtomicBoolean p) {
                p.compareAndSet(false, isAmong(artifacts, literal));
                return literal;
            }
        }.visit(file, found);
        return found.get();
    }

    @Override
    @SuppressWarnings("NullAway") // null removes it
    public @Nullable J visitMethodInvocation(J.MethodInvocation call, ExecutionContext ctx) {
        if (call.getArguments().size() != 1 || !isFormer(call.getArguments().get(0))) {
            return super.visitMethodInvocation(call, ctx);
        }
        if (added) {
            return null;
        }
        added = true;
        return call.withArguments(ListUtils.map(call.getArguments(), GradleVisitor::starter));
    }

    @Override
    @SuppressWarnings("NullAway") // null removes it
    public @Nullable J visitReturn(J.Return result, ExecutionContext ctx) {
        J visited = super.visitReturn(result, ctx);
        boolean isEmptied =
                result.getExpression() != null && visited instanceof J.Return left && left.getExpression() == null;
        return isEmptied ? null : visited;
    }

    private boolean isFormer(Expression dependency) {
        return isAmong(former, dependency);
    }

    private static boolean isAmong(Artifacts artifacts, Expression dependency) {
        if (!(dependency instanceof J.Literal literal && literal.getValue() instanceof String text)) {
            return false;
        }
        String[] parts = text.split(":", -1);
        return parts.length >= 2 && artifacts.contain(parts[0], parts[1]);
    }

    private static Expression starter(Expression dependency) {
        String coordinates = Artifacts.GROUP + ":" + Artifacts.STARTER + ":" + Artifacts.version();
        J.Literal literal = (J.Literal) dependency;
        String source = String.valueOf(literal.getValueSource());
        String quote = source.substring(0, 1);
        return literal.withValue(coordinates).withValueSource(quote + coordinates + quote);
    }
}
