package io.holdfast.lock.migration.code;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.openrewrite.Cursor;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.Space;

/** {@code @DistributedLock} in place of another annotation, attribute by attribute; or its shorthand {@code @OnOneInstance}. */
public final class LockAnnotation {

    private final Map<String, String> attributes = new LinkedHashMap<>();
    private final Map<String, Expression> taken = new HashMap<>();
    private String type = "DistributedLock";

    /** Adds an attribute whose value is given as code, such as {@code "text"} with its quotes, or {@code 10}. */
    public LockAnnotation with(String attribute, String value) {
        attributes.put(attribute, value);
        return this;
    }

    public boolean has(String attribute) {
        return attributes.containsKey(attribute);
    }

    /** Makes it the shorthand, which has fewer attributes. */
    public LockAnnotation shortened() {
        type = "OnOneInstance";
        return this;
    }

    /**
     * Adds an attribute with an expression from the former annotation.
     *
     * @param sample a value of the same type
     */
    public LockAnnotation with(String attribute, Expression value, String sample) {
        taken.put(attribute, value);
        return with(attribute, sample);
    }

    /** The text as a Java string literal. */
    public static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    public J.Annotation inPlaceOf(J.Annotation former, Cursor cursor) {
        String code = attributes.entrySet().stream()
                .map(each -> each.getKey() + " = " + each.getValue())
                .collect(Collectors.joining(", ", "@" + type + "(", ")"));
        J.Annotation annotation = Templates.of(
                        code,
                        Templates.ANNOTATION,
                        Templates.ON_ONE_INSTANCE,
                        Templates.ON_CONTENTION,
                        Templates.TIME_UNIT)
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
