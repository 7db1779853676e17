package io.holdfast.lock.migration.redisson;

import io.holdfast.lock.migration.code.NotingVisitor;
import io.holdfast.lock.migration.code.Variables;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Tree;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeTree;

/** Creates the locks with the template, and translates their types and calls. */
final class LocksVisitor extends NotingVisitor {

    private final Plan plan;

    LocksVisitor(Plan plan) {
        this.plan = plan;
    }

    @Override
    @SuppressWarnings("NullAway") // null removes it
    public J.@Nullable MethodInvocation visitMethodInvocation(J.MethodInvocation call, ExecutionContext ctx) {
        if (RedissonTypes.isFactory(call)) {
            return plan.isTranslatable(call.getId()) ? fromTemplate(call, ctx) : left(call, ctx);
        }
        Object lock = LockUses.node(call.getSelect());
        boolean isOfLock = call.getSelect() != null
                && RedissonTypes.isLock(call.getSelect().getType());
        J.MethodInvocation visited = super.visitMethodInvocation(call, ctx);
        return isOfLock && plan.isTranslatable(lock)
                ? new Translation(
                                visited,
                                Objects.requireNonNull(call.getSelect()).getType())
                        .translated(getCursor())
                : visited;
    }

    private J.MethodInvocation left(J.MethodInvocation call, ExecutionContext ctx) {
        plan.component(call.getId()).obstacle().ifPresent(this::note);
        return super.visitMethodInvocation(call, ctx);
    }

    private J.MethodInvocation fromTemplate(J.MethodInvocation former, ExecutionContext ctx) {
        J.MethodInvocation call = former.withArguments(ListUtils.map(
                former.getArguments(), each -> each instanceof J.Identifier ? visitAndCast(each, ctx) : each));
        for (String each : MigrateLocks.imports()) {
            maybeAddImport(each);
        }
        J.MethodDeclaration method = getCursor().firstEnclosing(J.MethodDeclaration.class);
        return new Factory(call, plan.component(call.getId()), plan.name())
                .fromTemplate(getCursor(), method == null ? null : method.getMethodType());
    }

    @Override
    public J.VariableDeclarations visitVariableDeclarations(J.VariableDeclarations visited, ExecutionContext ctx) {
        J.VariableDeclarations declaration = super.visitVariableDeclarations(visited, ctx);
        JavaType.Variable variable = visited.getVariables().get(0).getVariableType();
        TypeTree type = declaration.getTypeExpression();
        String counterpart = type == null ? null : RedissonTypes.counterpart(type.getType());
        if (variable == null || counterpart == null || !plan.isTranslatable(Variables.id(variable))) {
            return declaration;
        }
        maybeRemoveImport(Objects.requireNonNull(visited.getTypeAsFullyQualified()));
        if (!isInferred(type)) {
            maybeAddImport(counterpart);
        }
        return declaration.withTypeExpression(named(Objects.requireNonNull(type), counterpart));
    }

    private static boolean isInferred(@Nullable TypeTree type) {
        return type instanceof J.Identifier name && name.getSimpleName().equals("var");
    }

    private static TypeTree named(TypeTree former, String counterpart) {
        JavaType type = JavaType.ShallowClass.build(counterpart);
        if (isInferred(former)) {
            return ((J.Identifier) former).withType(type);
        }
        String simple = counterpart.substring(counterpart.lastIndexOf('.') + 1);
        return new J.Identifier(
                Tree.randomId(), former.getPrefix(), former.getMarkers(), List.of(), simple, type, null);
    }

    @Override
    public J.VariableDeclarations.NamedVariable visitVariable(
            J.VariableDeclarations.NamedVariable visited, ExecutionContext ctx) {
        J.VariableDeclarations.NamedVariable variable = super.visitVariable(visited, ctx);
        return variable.withVariableType(retyped(visited.getVariableType()));
    }

    @Override
    public J.Identifier visitIdentifier(J.Identifier visited, ExecutionContext ctx) {
        J.Identifier name = super.visitIdentifier(visited, ctx);
        JavaType.Variable variable = retyped(visited.getFieldType());
        return variable != null && isMigrated(visited.getFieldType())
                ? name.withType(variable.getType()).withFieldType(variable)
                : name;
    }

    @Override
    public J.FieldAccess visitFieldAccess(J.FieldAccess visited, ExecutionContext ctx) {
        J.FieldAccess access = super.visitFieldAccess(visited, ctx);
        return isMigrated(Variables.of(visited))
                ? access.withType(access.getName().getType())
                : access;
    }

    @Override
    public J.Assignment visitAssignment(J.Assignment visited, ExecutionContext ctx) {
        J.Assignment assignment = super.visitAssignment(visited, ctx);
        return isMigrated(Variables.of(visited.getVariable()))
                ? assignment.withType(assignment.getVariable().getType())
                : assignment;
    }

    private boolean isMigrated(JavaType.@Nullable Variable variable) {
        return variable != null
                && RedissonTypes.isLock(variable.getType())
                && plan.isTranslatable(Variables.id(variable));
    }

    private JavaType.@Nullable Variable retyped(JavaType.@Nullable Variable variable) {
        String counterpart = variable == null ? null : RedissonTypes.counterpart(variable.getType());
        return variable == null || counterpart == null || !plan.isTranslatable(Variables.id(variable))
                ? variable
                : variable.withType(JavaType.ShallowClass.build(counterpart));
    }

    /** {@code long token = lock.lockAndGetToken()} acquires the lock first, in a separate statement. */
    @Override
    public J.Block visitBlock(J.Block visited, ExecutionContext ctx) {
        J.Block block = super.visitBlock(visited, ctx);
        return block.withStatements(ListUtils.flatMap(block.getStatements(), statement -> {
            Expression value = statement instanceof J.VariableDeclarations declaration
                    ? declaration.getVariables().get(0).getInitializer()
                    : null;
            return value instanceof J.MethodInvocation call && Translation.isTokenOfNewLock(call)
                    ? List.of(Translation.acquisition(call, statement.getPrefix()), Translation.withToken(statement))
                    : statement;
        }));
    }
}
