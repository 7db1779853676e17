package io.holdfast.lock.migration.shedlock;

import io.holdfast.lock.migration.code.LockAnnotation;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The name of a job in ShedLock, as a name and a key in Holdfast. {@code report} is a name; {@code sync-#{#branch}} is
 * the name {@code sync} with the key {@code #branch}; other text with expressions, or with colons, is a key alone.
 *
 * @param name empty if there is only a key
 * @param key empty if there is only a name
 */
record LockName(String name, String key) {

    private static final Pattern EXPRESSION = Pattern.compile("#\\{([^{}]*)}");
    private static final Pattern NAME_AND_KEY = Pattern.compile("([\\w.${}-]*[\\w}])-#\\{([^{}]*)}");

    static LockName parse(String text) {
        if (!text.contains("#{")) {
            return text.contains(":") ? new LockName("", literal(text)) : new LockName(text, "");
        }
        Matcher both = NAME_AND_KEY.matcher(text);
        return both.matches() ? new LockName(both.group(1), both.group(2)) : new LockName("", concatenation(text));
    }

    /** Its expressions and the text between them, as one expression. */
    private static String concatenation(String text) {
        List<String> parts = new ArrayList<>();
        Matcher expression = EXPRESSION.matcher(text);
        int end = 0;
        while (expression.find()) {
            if (expression.start() > end || parts.isEmpty()) {
                parts.add(literal(text.substring(end, expression.start())));
            }
            parts.add("(" + expression.group(1) + ")");
            end = expression.end();
        }
        if (end < text.length()) {
            parts.add(literal(text.substring(end)));
        }
        return parts.stream().collect(Collectors.joining(" + "));
    }

    private static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    void addTo(LockAnnotation annotation) {
        if (!name.isEmpty()) {
            annotation.with("name", LockAnnotation.quoted(name));
        }
        if (!key.isEmpty()) {
            annotation.with("key", LockAnnotation.quoted(key));
        }
    }
}
