package io.holdfast.lock.migration.code;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;

/** Which variable a name refers to: the name alone is not enough, since a local variable may hide a field. */
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

    /** An id that is the same for all uses of a variable. Variables with the same name in one method share an id. */
    public static String id(JavaType.Variable variable) {
        return Objects.toString(variable.getOwner()) + "#" + variable.getName();
    }
}
