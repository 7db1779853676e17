package io.holdfast.lock.migration.redisson;

import io.holdfast.lock.migration.code.Parameters;
import io.holdfast.lock.migration.code.Templates;
import io.holdfast.lock.migration.code.Variables;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Tree;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.Statement;

/** Adds Holdfast's template to the class, in place of Redisson's client or alongside it. */
final class ClientsVisitor extends JavaIsoVisitor<ExecutionContext> {

    private final Plan plan;

    ClientsVisitor(Plan plan) {
        this.plan = plan;
    }

    @Override
    public @Nullable J preVisit(J tree, ExecutionContext ctx) {
        if (!(tree instanceof JavaSourceFile)) {
            return tree;
        }
        if (plan.needsTemplate()) {
            maybeAddImport(Templates.LOCK_TEMPLATE, false);
        }
        maybeRemoveImport(RedissonTypes.CLIENT);
        return (J) new Retyping(plan::isReplaced, plan.name()).visit(tree, 0);
    }

    @Override
    public J.Block visitBlock(J.Block visited, ExecutionContext ctx) {
        J.Block block = super.visitBlock(visited, ctx);
        return block.withStatements(ListUtils.flatMap(block.getStatements(), this::withCompany));
    }

    private Object withCompany(Statement statement) {
        boolean joined = (statement instanceof J.VariableDeclarations declaration
                        && plan.isJoined(declaration.getVariables().get(0).getVariableType()))
                || (statement instanceof J.Assignment assignment
                        && plan.isJoined(Variables.of(assignment.getVariable()))
                        && plan.isJoined(Variables.of(assignment.getAssignment())));
        return joined ? List.of(statement, company(statement)) : statement;
    }

    /** A copy of the statement, for the template. */
    private Statement company(Statement statement) {
        Statement copy = (Statement) new Retyping(plan::isJoined, plan.name()).visitNonNull(statement, 0);
        String indent = statement.getPrefix().getIndent();
        return ((Statement) copy.withId(Tree.randomId())).withPrefix(Space.format("\n" + indent));
    }

    @Override
    public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration visited, ExecutionContext ctx) {
        J.MethodDeclaration method = super.visitMethodDeclaration(visited, ctx);
        if (!method.isConstructor()) {
            return method;
        }
        List<Statement> parameters = new ArrayList<>();
        for (Statement each : method.getParameters()) {
            parameters.add(each);
            if (each instanceof J.VariableDeclarations declaration && isJoined(declaration)) {
                parameters.add(company(each).withPrefix(Space.SINGLE_SPACE));
            }
        }
        return parameters.size() == method.getParameters().size()
                ? method
                : method.withParameters(parameters).withMethodType(Parameters.typeOf(method, parameters));
    }

    private boolean isJoined(J.VariableDeclarations parameter) {
        return plan.isJoined(parameter.getVariables().get(0).getVariableType());
    }
}
