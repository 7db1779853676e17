package io.holdfast.lock.migration.code;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/** The attributes that an annotation specifies, by name. */
public final class Attributes {

    private final Map<String, Expression> values = new LinkedHashMap<>();

    private Attributes() {}

    public static Attributes of(J.Annotation annotation) {
        Attributes attributes = new Attributes();
        List<Expression> arguments = annotation.getArguments();
        if (arguments != null) {
            arguments.forEach(attributes::add);
        }
        return attributes;
    }

    private void add(Expression argument) {
        if (argument instanceof J.Assignment assignment && assignment.getVariable() instanceof J.Identifier name) {
            values.put(name.getSimpleName(), assignment.getAssignment());
        } else if (!(argument instanceof J.Empty)) {
            values.put("value", argument);
        }
    }

    public Optional<Expression> get(String name) {
        return Optional.ofNullable(values.get(name));
    }

    public Set<String> names() {
        return values.keySet();
    }
}
