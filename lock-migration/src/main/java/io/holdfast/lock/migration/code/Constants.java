package io.holdfast.lock.migration.code;

import java.util.Optional;
import java.util.OptionalLong;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;

/** Values of expressions, as far as they are evident from a single source file. */
public final class Constants {

    private Constants() {}

    /** A literal, or a constant of the same source file that is set to one. */
    public static Optional<String> text(Expression expression, JavaSourceFile file) {
        return literal(expression, file).filter(String.class::isInstance).map(String.class::cast);
    }

    /** A whole number, with its sign. */
    public static OptionalLong number(Expression expression, JavaSourceFile file) {
        if (expression instanceof J.Unary unary && unary.getOperator() == J.Unary.Type.Negative) {
            OptionalLong positive = number(unary.getExpression(), file);
            return positive.isPresent() ? OptionalLong.of(-positive.getAsLong()) : positive;
        }
        return literal(expression, file)
                .filter(Number.class::isInstance)
                .map(number -> OptionalLong.of(((Number) number).longValue()))
                .orElseGet(OptionalLong::empty);
    }

    private static Optional<Object> literal(Expression expression, JavaSourceFile file) {
        Expression value = expression.unwrap();
        if (value instanceof J.Literal literal) {
            return Optional.ofNullable(literal.getValue());
        }
        return constant(value, file).filter(J.Literal.class::isInstance).map(found -> ((J.Literal) found).getValue());
    }

    private static Optional<Expression> constant(Expression expression, JavaSourceFile file) {
        JavaType.Variable variable = expression instanceof J.Identifier name
                ? name.getFieldType()
                : expression instanceof J.FieldAccess access ? access.getName().getFieldType() : null;
        if (variable == null || !(variable.getOwner() instanceof JavaType.FullyQualified)) {
            return Optional.empty();
        }
        Expression[] found = {null};
        new JavaIsoVisitor<Integer>() {
            @Override
            public J.VariableDeclarations visitVariableDeclarations(J.VariableDeclarations declarations, Integer p) {
                if (declarations.hasModifier(J.Modifier.Type.Final)) {
                    declarations.getVariables().stream()
                            .filter(each -> Variables.isSame(each.getVariableType(), variable))
                            .forEach(each -> found[0] = each.getInitializer());
                }
                return super.visitVariableDeclarations(declarations, p);
            }
        }.visit(file, 0);
        return Optional.ofNullable(found[0]);
    }
}
