package io.holdfast.lock.migration.lock4j;

import io.holdfast.lock.migration.code.Names;
import io.holdfast.lock.migration.code.Templates;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Whether a source file uses Lock4j's {@code LockTemplate} and {@code LockInfo} only in ways that have a counterpart. Both
 * libraries have a {@code LockTemplate}, so a file is migrated as a whole or not at all.
 */
final class TemplateUses extends JavaIsoVisitor<Integer> {

    static final String TEMPLATE = "com.baomidou.lock.LockTemplate";
    static final String INFO = "com.baomidou.lock.LockInfo";

    /** What a migrated file may import. */
    private static final List<String> TYPES = List.of(
            Templates.LOCK_TEMPLATE,
            Templates.LOCK_HANDLE,
            Templates.LOCK_REQUEST,
            Templates.DURATION,
            "java.util.Optional");

    private boolean uses;
    private boolean blocked;

    private TemplateUses() {}

    static boolean areTranslatable(JavaSourceFile file) {
        TemplateUses uses = new TemplateUses();
        uses.visit(file, 0);
        return uses.uses && !uses.blocked && Names.taken(file, TEMPLATE, TYPES).isEmpty();
    }

    static boolean isOfLock4j(@Nullable JavaType type) {
        return TypeUtils.isOfClassType(type, TEMPLATE) || TypeUtils.isOfClassType(type, INFO);
    }

    @Override
    public J.Identifier visitIdentifier(J.Identifier name, Integer p) {
        if (name.getFieldType() != null && isOfLock4j(name.getType())) {
            uses = true;
            blocked |= !isTranslatable(getCursor());
        }
        return super.visitIdentifier(name, p);
    }

    private static boolean isTranslatable(Cursor use) {
        J value = use.getValue();
        Cursor above = use.getParentTreeCursor();
        J parent = above.getValue();
        if (parent instanceof J.FieldAccess || parent instanceof J.Parentheses) {
            return isTranslatable(above);
        }
        if (parent instanceof J.MethodInvocation call) {
            return isTranslatable(call, value, above);
        }
        return parent instanceof J.VariableDeclarations.NamedVariable
                || parent instanceof J.Assignment
                || (parent instanceof J.Binary binary && isNullCheck(binary));
    }

    static boolean isNullCheck(J.Binary binary) {
        return isNull(binary.getLeft()) || isNull(binary.getRight());
    }

    static boolean isNull(Expression expression) {
        return expression instanceof J.Literal literal && literal.getValue() == null;
    }

    private static boolean isTranslatable(J.MethodInvocation call, J value, Cursor cursor) {
        if (Calls.locks(call)) {
            J place = cursor.getParentTreeCursor().getValue();
            return place instanceof J.VariableDeclarations.NamedVariable || place instanceof J.Assignment;
        }
        boolean asStatement = cursor.getParentTreeCursor().getValue() instanceof J.Block;
        return Calls.KEY.matches(call)
                || (Calls.RELEASE.matches(call)
                        && asStatement
                        && (Calls.releases(call, value) || isSelect(call, value)));
    }

    private static boolean isSelect(J.MethodInvocation call, J value) {
        return call.getSelect() != null && call.getSelect().getId().equals(value.getId());
    }

    @Override
    public J.NewClass visitNewClass(J.NewClass creation, Integer p) {
        blocked |= isOfLock4j(creation.getType());
        return super.visitNewClass(creation, p);
    }

    @Override
    public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, Integer p) {
        blocked |= type.getExtends() != null && isOfLock4j(type.getExtends().getType());
        return super.visitClassDeclaration(type, p);
    }

    @Override
    public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, Integer p) {
        blocked |= method.getReturnTypeExpression() != null
                && isOfLock4j(method.getReturnTypeExpression().getType());
        return super.visitMethodDeclaration(method, p);
    }

    @Override
    public J.Lambda visitLambda(J.Lambda lambda, Integer p) {
        blocked |= lambda.getBody() instanceof J.MethodInvocation call && Calls.RELEASE.matches(call);
        return super.visitLambda(lambda, p);
    }

    @Override
    public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, Integer p) {
        boolean known = Calls.locks(call) || Calls.RELEASE.matches(call) || Calls.KEY.matches(call);
        blocked |=
                call.getMethodType() != null && isOfLock4j(call.getMethodType().getDeclaringType()) && !known;
        return super.visitMethodInvocation(call, p);
    }
}
