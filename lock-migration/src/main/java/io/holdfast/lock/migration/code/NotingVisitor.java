package io.holdfast.lock.migration.code;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.Statement;

/** A visitor that can leave notes above the statement or class member that it is in, each note once per file. */
public abstract class NotingVisitor extends JavaIsoVisitor<ExecutionContext> {

    private static final String NOTES = "notes";
    private static final String NOTES_OF_FILE = "notesOfFile";

    protected final void note(Note note) {
        note(note, getCursor());
    }

    /** For code that is itself removed. */
    protected final void noteOnClass(Note note) {
        note(note, getCursor().dropParentUntil(J.ClassDeclaration.class::isInstance));
    }

    private static void note(Note note, Cursor from) {
        Cursor file = from.dropParentUntil(JavaSourceFile.class::isInstance);
        Set<Note> left = file.computeMessageIfAbsent(NOTES_OF_FILE, none -> new HashSet<>());
        if (left.add(note)) {
            placeAround(from)
                    .<List<Note>>computeMessageIfAbsent(NOTES, none -> new ArrayList<>())
                    .add(note);
        }
    }

    /** The code above which a note is left. */
    static Cursor placeAround(Cursor from) {
        Cursor place = from;
        while (!isPlace(place)) {
            place = place.getParentTreeCursor();
        }
        return place;
    }

    private static boolean isPlace(Cursor cursor) {
        if (cursor.isRoot() || cursor.getValue() instanceof JavaSourceFile) {
            return true;
        }
        Object parent = cursor.getParentTreeCursor().getValue();
        return cursor.getValue() instanceof Statement statement
                && (parent instanceof J.Block || parent instanceof J.Case || parent instanceof JavaSourceFile)
                && !(statement instanceof J.MethodDeclaration method && is("PrimaryConstructor", method))
                && !(parent instanceof J.Block block && is("SingleExpressionBlock", block));
    }

    /**
     * Compares names, since rewrite-kotlin is not a dependency. Code with these markers is not on a separate line:
     * {@code class A(val b: B)}, {@code fun a() = b()}.
     */
    private static boolean is(String marker, J code) {
        return code.getMarkers().getMarkers().stream()
                .anyMatch(each -> each.getClass().getSimpleName().equals(marker));
    }

    @Override
    public @Nullable J postVisit(J tree, ExecutionContext ctx) {
        List<Note> notes = getCursor().getMessage(NOTES);
        return notes == null || tree instanceof JavaSourceFile ? tree : Note.allAbove(tree, notes);
    }

    protected final JavaSourceFile file() {
        return getCursor().firstEnclosingOrThrow(JavaSourceFile.class);
    }
}
