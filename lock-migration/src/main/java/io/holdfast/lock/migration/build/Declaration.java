package io.holdfast.lock.migration.build;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.openrewrite.Cursor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.Statement;

/**
 * A dependency in a Gradle file, in Groovy or Kotlin: {@code 'group:artifact:version'}, where the version may be missing or an
 * expression, or {@code group: 'group', name: 'artifact'}, each with or without a block after it.
 *
 * @param version the version, with a colon before it; empty if there is none
 * @param quote the quotation mark around its text
 */
record Declaration(J.MethodInvocation call, String group, String artifact, String version, String quote) {

    private static final Pattern STRING =
            Pattern.compile("([\"'])([^:\"']+):([^:\"'@]+)(:[^:\"'@]+)?[^\"']*\\1.*", Pattern.DOTALL);
    private static final Pattern NAMED = Pattern.compile(
            "group\\s*[:=]\\s*([\"'])([^\"']+)\\1\\s*,\\s*name\\s*[:=]\\s*[\"']([^\"']+)[\"'](?:\\s*,\\s*version\\s*[:=]\\s*[\"']([^\"']+))?.*",
            Pattern.DOTALL);

    static Optional<Declaration> in(Statement statement, Cursor cursor) {
        return call(statement).flatMap(call -> of(call, cursor));
    }

    /** In Groovy, the last statement of a block is parsed as the expression of a return. */
    private static Optional<J.MethodInvocation> call(Statement statement) {
        J code = statement instanceof J.Return last ? last.getExpression() : statement;
        return code instanceof J.MethodInvocation call ? Optional.of(call) : Optional.empty();
    }

    static Optional<Declaration> of(J.MethodInvocation call, Cursor cursor) {
        String text = call.getArguments().stream()
                .filter(each -> !(each instanceof J.Lambda))
                .map(each -> each.printTrimmed(cursor))
                .collect(Collectors.joining(", "));
        return of(call, STRING.matcher(text)).or(() -> of(call, NAMED.matcher(text.replaceFirst("^\\[", ""))));
    }

    private static Optional<Declaration> of(J.MethodInvocation call, Matcher text) {
        if (!text.matches()) {
            return Optional.empty();
        }
        String version = text.group(4) == null ? "" : ":" + text.group(4).replaceFirst("^:", "");
        return Optional.of(new Declaration(call, text.group(2), text.group(3), version, text.group(1)));
    }

    boolean isAmong(Artifacts artifacts) {
        return artifacts.contain(group, artifact);
    }

    boolean isStarter() {
        return group.equals(Artifacts.GROUP) && artifact.equals(Artifacts.STARTER);
    }

    /** The lower the rank, the more code sees the dependency. */
    int rank() {
        String configuration = call.getSimpleName();
        if (configuration.startsWith("test")) {
            return 2;
        }
        return configuration.equals("runtimeOnly") || configuration.equals("annotationProcessor") ? 1 : 0;
    }
}
