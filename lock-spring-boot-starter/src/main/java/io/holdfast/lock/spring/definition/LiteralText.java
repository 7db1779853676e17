package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.spring.LockConfigurationException;
import java.util.Collection;
import java.util.regex.Pattern;

/**
 * Recognizes expressions in names and roles, which must be literal text: taken literally, {@code name = "#hotel"} would be one
 * lock for all hotels.
 */
public final class LiteralText {

    /** A variable, unless it follows a letter or digit ({@code Orders#pay} is a name); a method call on a bean; or a type. */
    private static final Pattern EXPRESSION = Pattern.compile(
            "#\\{|(?<![\\p{L}\\p{N}])#[\\p{L}_]|^\\s*@\\w+\\.\\w|@[\\p{L}_]\\w*\\.\\w+\\(|(?<![\\p{L}\\p{N}])T\\(");

    /** Invisible in a name, so that it is another lock than it seems. */
    private static final Pattern INVISIBLE = Pattern.compile("^[\\s\\p{Z}]|[\\s\\p{Z}]\\z|[\\p{Cc}\\p{Zl}\\p{Zp}]");

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
        if (isExpression(name)
                || variables.stream()
                        .anyMatch(each -> Pattern.compile("#" + Pattern.quote(each) + "(?![\\p{L}\\p{N}_])")
                                .matcher(name)
                                .find())) {
            throw new LockConfigurationException(
                    where + " has name = \"" + name
                            + "\", but a name is literal text, not an expression: all calls would share one lock.",
                    "Write a literal name, and the expression as the key: name = \"order\", key = \"#order.id\".");
        }
        if (!name.isBlank() && INVISIBLE.matcher(name).find()) {
            throw new LockConfigurationException(
                    where + " has name = \"" + LockKey.printable(name)
                            + "\", which contains a control character, or whitespace at its beginning or end.",
                    "Remove it. In a properties file, a value includes the whitespace at the end of its line.");
        }
        if (name.indexOf(':') >= 0) {
            throw new LockConfigurationException(
                    where + " has name = \"" + name
                            + "\", which contains a colon. A colon separates the name from the"
                            + " rest of the key, so name 'a:b' with key 'c' and name 'a' with key 'b:c' would be the"
                            + " same lock.",
                    "Use another character in the name, such as \"" + name.replace(':', '.') + "\".");
        }
        return name;
    }
}
