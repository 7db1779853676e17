package io.holdfast.lock.spring.definition;

import io.holdfast.lock.spring.annotation.LockDefinitionException;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Recognizes expressions where only literal text is evaluated, in names and roles: taken literally, {@code name = "#hotel"} would be one
 * lock for all hotels.
 */
public final class LiteralText {

    private static final Pattern TEMPLATE = Pattern.compile("#?\\{([^}]*)}?");

    /** A variable after anything but a letter or digit, so that {@code Orders#pay} is a name; a method of a bean; a type. */
    private static final Pattern EXPRESSION = Pattern.compile(
            "#\\{|(?<![\\p{L}\\p{N}])#[\\p{L}_]|^\\s*@\\w+\\.\\w|@[\\p{L}_]\\w*\\.\\w+\\(|(?<![\\p{L}\\p{N}])T\\(");

    private static final Pattern HEAD = Pattern.compile("[\\p{L}\\p{N}._:-]+(?=[#@])");
    private static final Pattern AT_THE_END = Pattern.compile("[^\\p{L}\\p{N}]+$");

    private LiteralText() {}

    /**
     * {@return whether a text is meant as an expression}
     *
     * @param text a name
     */
    public static boolean isExpression(String text) {
        return EXPRESSION.matcher(text).find();
    }

    /** @param variables the parameters of the method: {@code sync#hotel} is a name unless one is called hotel */
    static String requireName(String name, String where, Collection<String> variables) {
        if (isExpression(name) || variables.stream().anyMatch(each -> refersTo(each, name))) {
            throw new LockDefinitionException(
                    where + " has name = \"" + name
                            + "\", but a name is literal text, not an expression: all calls would share one lock.",
                    "Write a literal name, and the expression as the key: " + inTwoParts(name) + ".");
        }
        return name;
    }

    private static boolean refersTo(String variable, String text) {
        return Pattern.compile("#" + Pattern.quote(variable) + "(?![\\p{L}\\p{N}_])")
                .matcher(text)
                .find();
    }

    /** The literal part as the name, all others as the key. */
    private static String inTwoParts(String text) {
        List<String> parts =
                TEMPLATE.matcher(text).results().map(each -> each.group(1)).toList();
        Matcher head = HEAD.matcher(text);
        String name = head.lookingAt() ? head.group() : "";
        if (parts.isEmpty()) {
            parts = List.of(text.substring(name.length()));
        }
        name = AT_THE_END.matcher(name).replaceAll("").replace(':', '.');
        String key = String.join("\", \"", parts);
        return "name = \"" + (name.isEmpty() ? "sync" : name) + "\", key = "
                + (parts.size() == 1 ? '"' + key + '"' : "{\"" + key + "\"}");
    }
}
