package io.holdfast.lock.migration.lock4j;

import io.holdfast.lock.migration.code.Attributes;
import io.holdfast.lock.migration.code.Constants;
import io.holdfast.lock.migration.code.LockAnnotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Tree;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;

/** The {@code keys} of a {@code @Lock4j}. Lock4j joins them, without the blank ones, so they are the parts of one key. */
record Keys(List<Expression> parts, JavaSourceFile file) {

    static Keys of(Attributes former, JavaSourceFile file) {
        List<Expression> parts = new ArrayList<>();
        former.get("keys").ifPresent(keys -> new Elements().visit(keys, parts));
        parts.removeIf(part -> part instanceof J.Empty
                || Constants.text(part, file).filter(String::isBlank).isPresent());
        return new Keys(parts, file);
    }

    /** Whether the texts of several parts are known: they become one text. */
    boolean canBeJoined() {
        return parts.size() < 2
                || parts.stream().map(part -> Constants.text(part, file)).allMatch(Optional::isPresent);
    }

    void addTo(LockAnnotation annotation) {
        if (parts.size() == 1) {
            annotation.with("key", parts.get(0), "\"\"");
        } else if (!parts.isEmpty()) {
            String joined = parts.stream()
                    .map(part -> Constants.text(part, file).orElseThrow().strip())
                    .collect(Collectors.joining(", ", "parts(", ")"));
            annotation.with("key", LockAnnotation.quoted(joined));
        }
    }

    /** Collects the elements of an array, or the expression itself. Kotlin's array may not be on the class path. */
    private static final class Elements extends JavaVisitor<List<Expression>> {

        @Override
        public @Nullable J preVisit(J tree, List<Expression> parts) {
            boolean isArray = tree instanceof J.NewArray
                    || ((Tree) tree).getClass().getSimpleName().equals("ListLiteral");
            if (!isArray && tree instanceof Expression part) {
                parts.add(part);
                stopAfterPreVisit();
            }
            return tree;
        }
    }
}
