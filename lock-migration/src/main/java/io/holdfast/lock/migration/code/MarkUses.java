package io.holdfast.lock.migration.code;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Option;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Leaves a note above the first code of a file that still declares, creates or is annotated with certain types after the other
 * recipes have run.
 */
public final class MarkUses extends Recipe {

    @Option(
            displayName = "Types",
            description = "Names of types. A name that ends with a dot matches all types whose names start with it.",
            example = "org.redisson.api.RLock")
    private final List<String> types;

    @Option(displayName = "Reason", description = "The text of the note.", example = "still locks with Redisson")
    private final String reason;

    @Option(displayName = "Page", description = "File and anchor under docs/migration.", example = "redisson.md#lock")
    private final String page;

    public MarkUses(List<String> types, String reason, String page) {
        this.types = types;
        this.reason = reason;
        this.page = page;
    }

    public List<String> getTypes() {
        return types;
    }

    public String getReason() {
        return reason;
    }

    public String getPage() {
        return page;
    }

    @Override
    public String getDisplayName() {
        return "Mark uses of types";
    }

    @Override
    public String getDescription() {
        return "Leaves one comment in each file, above the first statement, member or class that declares, creates or is"
                + " annotated with one of the types.";
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor() {
        return new Marker(new Note(reason, page));
    }

    private boolean isMeant(@Nullable JavaType type) {
        JavaType element = type;
        while (element instanceof JavaType.Array array) {
            element = array.getElemType();
        }
        JavaType.FullyQualified named = TypeUtils.asFullyQualified(element);
        if (named == null) {
            return false;
        }
        String name = named.getFullyQualifiedName();
        return types.stream().anyMatch(each -> each.endsWith(".") ? name.startsWith(each) : name.equals(each));
    }

    private final class Marker extends NotingVisitor {

        private final Note note;

        Marker(Note note) {
            this.note = note;
        }

        private void noteIf(@Nullable JavaType type) {
            if (isMeant(type) && getCursor().firstEnclosing(J.Import.class) == null && !isNoted()) {
                note(note);
            }
        }

        /** Notes of other recipes, above this code or elsewhere in the file, are more specific. One note is enough for a file. */
        private boolean isNoted() {
            Cursor file = getCursor().dropParentUntil(JavaSourceFile.class::isInstance);
            return file.computeMessageIfAbsent("noted", none -> isNotedHere() || note.isIn(file.getValue()));
        }

        /** Searches outwards as far as the statement, the member of a class, or the header of a class. */
        private boolean isNotedHere() {
            Object place = placeAround(getCursor()).getValue();
            for (Cursor each = getCursor();
                    !(each.getValue() instanceof JavaSourceFile);
                    each = each.getParentTreeCursor()) {
                if (each.getValue() instanceof J.ClassDeclaration && each.getValue() != place) {
                    return false;
                }
                if (each.getValue() instanceof J code && Note.isAbove(code)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public J.Identifier visitIdentifier(J.Identifier name, ExecutionContext ctx) {
            if (name.getFieldType() == null && isNameOf(name)) {
                noteIf(name.getType());
            }
            return super.visitIdentifier(name, ctx);
        }

        private boolean isNameOf(J.Identifier name) {
            JavaType.FullyQualified type = TypeUtils.asFullyQualified(name.getType());
            return type != null
                    && type.getFullyQualifiedName().replace('$', '.').endsWith("." + name.getSimpleName());
        }

        @Override
        public J.VariableDeclarations visitVariableDeclarations(
                J.VariableDeclarations variables, ExecutionContext ctx) {
            TypeTree type = variables.getTypeExpression();
            noteIf(type == null ? null : type.getType());
            return super.visitVariableDeclarations(variables, ctx);
        }

        @Override
        public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, ExecutionContext ctx) {
            JavaType.Method method = call.getMethodType();
            if (method != null && !isMeant(method.getDeclaringType())) {
                noteIf(method.getReturnType());
            }
            return super.visitMethodInvocation(call, ctx);
        }
    }
}
