package io.holdfast.lock.migration.code;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.openrewrite.Cursor;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.Space;

/** {@code @DistributedLock} in place of another annotation, attribute by attribute. */
public final class LockAnnotation {

    private final List<String> attributes = new ArrayList<>();
    private final Map<String, Expression> taken = new HashMap<>();

    /** An attribute with a value that is written here, such as {@code "text"} with its quotes, or {@code 10}. */
    public LockAnnotation with(String attribute, String value) {
        attributes.add(attribute + " = " + value);
        return this;
    }

    /**
     * An attribute with an expression of the former annotation.
     *
     * @param sample a value of the same type
     */
    public LockAnnotation with(String attribute, Expression value, String sample) {
        taken.put(attribute, value);
        return with(attribute, sample);
    }

    /** Text as it is written in Java. */
    public static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    public J.Annotation inPlaceOf(J.Annotation former, Cursor cursor) {
        String code = "@DistributedLock(" + String.join(", ", attributes) + ")";
        J.Annotation annotation = Templates.of(code, Templates.ANNOTATION, Templates.ON_CONTENTION, Templates.TIME_UNIT)
                .apply(cursor, former.getCoordinates().replace());
        return annotation
                .withArguments(ListUtils.map(annotation.getArguments(), this::withTaken))
                .withPrefix(former.getPrefix());
    }

    private Expression withTaken(Expression argument) {
        if (argument instanceof J.Assignment assignment
                && assignment.getVariable() instanceof J.Identifier name
                && taken.containsKey(name.getSimpleName())) {
            return assignment.withAssignment(taken.get(name.getSimpleName()).withPrefix(Space.SINGLE_SPACE));
        }
        return argument;
    }
}
