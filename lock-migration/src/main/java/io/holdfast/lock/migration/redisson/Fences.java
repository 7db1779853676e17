package io.holdfast.lock.migration.redisson;

import org.openrewrite.Cursor;
import org.openrewrite.java.tree.J;

/** {@code long token = lock.lockAndGetToken()}, which becomes two statements. */
final class Fences {

    private Fences() {}

    /** Whether the call at the cursor is the whole initializer of a declaration in a block. */
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
