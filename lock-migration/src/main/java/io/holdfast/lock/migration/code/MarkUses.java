package io.holdfast.lock.migration.code;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Option;
import org.openrewrite.Recipe;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Leaves a note above the first code of a file that still declares, creates or is annotated with certain types after the other
 * recipes have run, unless all kinds of such code in the file have a note already.
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
        Note note = new Note(reason, page);
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                return tree instanceof JavaSourceFile file
                        ? new Marker(note, new NotedUses(note).in(file, ctx)).visit(file, ctx)
                        : tree;
            }
        };
    }

    /** The types that are listed by name are of one kind, which is empty; others are their own. Null for other types. */
    private @Nullable String kind(@Nullable JavaType type) {
        JavaType element = type;
        while (element instanceof JavaType.Array array) {
            element = array.getElemType();
        }
        JavaType.FullyQualified named = TypeUtils.asFullyQualified(element);
        String name = named == null ? "" : named.getFullyQualifiedName();
        if (types.contains(name)) {
            return "";
        }
        return types.stream().anyMatch(each -> each.endsWith(".") && name.startsWith(each)) ? name : null;
    }

    /** Finds the code that uses one of the types. */
    private abstract class Uses extends NotingVisitor {

        abstract void found(String kind);

        private void foundIf(@Nullable JavaType type) {
            String kind = kind(type);
            if (kind != null && getCursor().firstEnclosing(J.Import.class) == null) {
                found(kind);
            }
        }

        @Override
        public J.Identifier visitIdentifier(J.Identifier name, ExecutionContext ctx) {
            if (name.getFieldType() == null && isNameOf(name)) {
                foundIf(name.getType());
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
            foundIf(type == null ? null : type.getType());
            return super.visitVariableDeclarations(variables, ctx);
        }

        @Override
        public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, ExecutionContext ctx) {
            JavaType.Method method = call.getMethodType();
            if (method != null && kind(method.getDeclaringType()) == null) {
                foundIf(method.getReturnType());
            }
            return super.visitMethodInvocation(call, ctx);
        }
    }

    private final class Marker extends Uses {

        private final Note note;
        private final Predicate<String> isNoted;

        Marker(Note note, Predicate<String> isNoted) {
            this.note = note;
            this.isNoted = isNoted;
        }

        @Override
        void found(String kind) {
            if (!isNoted.test(kind)) {
                note(note);
            }
        }
    }

    /** The uses that have a note above them. Those of other recipes are more specific; one of this recipe is enough for a file. */
    private final class NotedUses extends Uses {

        private final Note note;
        private final Set<String> kinds = new HashSet<>();
        private boolean all;

        NotedUses(Note note) {
            this.note = note;
        }

        Predicate<String> in(JavaSourceFile file, ExecutionContext ctx) {
            visit(file, ctx);
            return all ? kind -> true : kinds::contains;
        }

        /** Searches outwards as far as the statement, the member of a class, or the header of a class. */
        @Override
        void found(String kind) {
            Object place = placeAround(getCursor()).getValue();
            for (Cursor each = getCursor();
                    !(each.getValue() instanceof JavaSourceFile);
                    each = each.getParentTreeCursor()) {
                if (each.getValue() instanceof J.ClassDeclaration && each.getValue() != place) {
                    return;
                }
                if (each.getValue() instanceof J code && Note.isAbove(code)) {
                    kinds.add(kind);
                    all |= note.isThisAbove(code);
                }
            }
        }
    }
}
