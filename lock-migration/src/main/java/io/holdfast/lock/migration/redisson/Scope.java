package io.holdfast.lock.migration.redisson;

import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.java.tree.J;

/**
 * A place in a file, which decides whether a name that is used elsewhere means the same there.
 *
 * @param type the class
 * @param method the method with its parameters; null for any place in the class
 */
record Scope(String type, @Nullable String method) {

    static Scope of(Cursor cursor) {
        J.ClassDeclaration type = cursor.firstEnclosing(J.ClassDeclaration.class);
        J.MethodDeclaration method = cursor.firstEnclosing(J.MethodDeclaration.class);
        return new Scope(
                type == null ? "" : String.valueOf(type.getType()),
                method == null ? null : String.valueOf(method.getMethodType()));
    }

    Scope ofAnyMethod() {
        return new Scope(type, null);
    }

    boolean contains(Scope other) {
        return type.equals(other.type) && (method == null || method.equals(other.method));
    }
}
