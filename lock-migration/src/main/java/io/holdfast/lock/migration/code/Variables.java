package io.holdfast.lock.migration.code;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;

/** Which variable a name stands for: names alone do not say, since a local variable may hide a field. */
public final class Variables {

    private Variables() {}

    /** The variable that is read or written here, or null if the expression is not the name of one. */
    public static JavaType.@Nullable Variable of(@Nullable Expression expression) {
        if (expression == null) {
            return null;
        }
        Expression name = expression.unwrap();
        if (name instanceof J.FieldAccess access) {
            return access.getTarget() instanceof J.Identifier target
                            && target.getSimpleName().equals("this")
                    ? access.getName().getFieldType()
                    : null;
        }
        return name instanceof J.Identifier identifier ? identifier.getFieldType() : null;
    }

    public static boolean isSame(JavaType.@Nullable Variable one, JavaType.@Nullable Variable other) {
        return one != null && other != null && id(one).equals(id(other));
    }

    /** The same for all uses of a variable. Variables of a method with the same name have the same id. */
    public static String id(JavaType.Variable variable) {
        return Objects.toString(variable.getOwner()) + "#" + variable.getName();
    }
}
