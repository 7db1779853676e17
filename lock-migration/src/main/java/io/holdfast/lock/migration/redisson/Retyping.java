package io.holdfast.lock.migration.redisson;

import io.holdfast.lock.migration.code.Parameters;
import io.holdfast.lock.migration.code.Templates;
import io.holdfast.lock.migration.code.Variables;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Tree;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeTree;

/** Turns variables of Redisson's client into variables of Holdfast's template: type and name. */
final class Retyping extends JavaIsoVisitor<Integer> {

    private static final JavaType TEMPLATE = JavaType.ShallowClass.build(Templates.LOCK_TEMPLATE);

    private final Predicate<JavaType.@Nullable Variable> isMeant;
    private final String name;

    Retyping(Predicate<JavaType.@Nullable Variable> isMeant, String name) {
        this.isMeant = isMeant;
        this.name = name;
    }

    @Override
    public J.VariableDeclarations visitVariableDeclarations(J.VariableDeclarations visited, Integer p) {
        J.VariableDeclarations declaration = super.visitVariableDeclarations(visited, p);
        TypeTree type = declaration.getTypeExpression();
        return isMeant.test(visited.getVariables().get(0).getVariableType()) && type != null
                ? declaration.withTypeExpression(new J.Identifier(
                        Tree.randomId(),
                        type.getPrefix(),
                        type.getMarkers(),
                        List.of(),
                        "LockTemplate",
                        TEMPLATE,
                        null))
                : declaration;
    }

    @Override
    public J.VariableDeclarations.NamedVariable visitVariable(J.VariableDeclarations.NamedVariable visited, Integer p) {
        J.VariableDeclarations.NamedVariable variable = super.visitVariable(visited, p);
        return isMeant.test(visited.getVariableType())
                ? variable.withVariableType(retyped(visited.getVariableType()))
                : variable;
    }

    @Override
    public J.Identifier visitIdentifier(J.Identifier visited, Integer p) {
        J.Identifier identifier = super.visitIdentifier(visited, p);
        return isMeant.test(visited.getFieldType())
                ? identifier.withSimpleName(name).withType(TEMPLATE).withFieldType(retyped(visited.getFieldType()))
                : identifier;
    }

    @Override
    public J.FieldAccess visitFieldAccess(J.FieldAccess visited, Integer p) {
        J.FieldAccess access = super.visitFieldAccess(visited, p);
        return isMeant.test(Variables.of(visited)) ? access.withType(TEMPLATE) : access;
    }

    @Override
    public J.Assignment visitAssignment(J.Assignment visited, Integer p) {
        J.Assignment assignment = super.visitAssignment(visited, p);
        return isMeant.test(Variables.of(visited.getVariable())) ? assignment.withType(TEMPLATE) : assignment;
    }

    @Override
    public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration visited, Integer p) {
        J.MethodDeclaration method = super.visitMethodDeclaration(visited, p);
        boolean hasMeant = visited.getParameters().stream()
                .anyMatch(each -> each instanceof J.VariableDeclarations parameter
                        && isMeant.test(parameter.getVariables().get(0).getVariableType()));
        return hasMeant ? method.withMethodType(Parameters.typeOf(method, method.getParameters())) : method;
    }

    private JavaType.@Nullable Variable retyped(JavaType.@Nullable Variable variable) {
        return variable == null ? null : variable.withName(name).withType(TEMPLATE);
    }
}
