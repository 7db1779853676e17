package io.holdfast.lock.migration.redisson;

import org.openrewrite.Cursor;
import org.openrewrite.java.tree.J;

/** Tokens, which are a {@code Long} in Redisson, and a {@code long} in Holdfast. */
final class Fences {

    private Fences() {}

    /** Whether the code around the call does not need an object. */
    static boolean mayBePrimitive(Cursor call) {
        Cursor above = call.getParentTreeCursor();
        J use = above.getValue();
        if (use instanceof J.Parentheses) {
            return mayBePrimitive(above);
        }
        if (use instanceof J.VariableDeclarations.NamedVariable) {
            J.VariableDeclarations declaration = above.getParentTreeCursor().getValue();
            return !(declaration.getTypeExpression() instanceof J.Identifier type
                    && type.getSimpleName().equals("var"));
        }
        J value = call.getValue();
        return !(use instanceof J.InstanceOf
                || use instanceof J.MemberReference
                || use instanceof J.FieldAccess
                || (use instanceof J.Binary binary
                        && (LockUses.isNull(binary.getLeft()) || LockUses.isNull(binary.getRight())))
                || (use instanceof J.MethodInvocation outer
                        && outer.getSelect() != null
                        && outer.getSelect().getId().equals(value.getId())));
    }

    /**
     * Whether the call at the cursor is the whole initializer of a declaration in a block: {@code long token = lock.lockAndGetToken()}
     * becomes two statements.
     */
    static boolean isDeclaration(Cursor call) {
        Cursor variable = call.getParentTreeCursor();
        if (!(variable.getValue() instanceof J.VariableDeclarations.NamedVariable)) {
            return false;
        }
        Cursor declaration = variable.getParentTreeCursor();
        return declaration.getValue() instanceof J.VariableDeclarations declarations
                && declarations.getVariables().size() == 1
                && declaration.getParentTreeCursor().getValue() instanceof J.Block
                && !(declaration.getParentTreeCursor().getParentTreeCursor().getValue() instanceof J.ClassDeclaration);
    }
}
