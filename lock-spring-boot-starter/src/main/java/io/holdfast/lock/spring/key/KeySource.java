package io.holdfast.lock.spring.key;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where the keys of a definition come from: a name, expressions, or both.
 *
 * <p>What is joined is {@code name:part:part}. Two different joins never yield one key: a name has no colon, so the first
 * colon ends it, and of several parts each has its colons and backslashes escaped by a backslash. A single part is not
 * escaped, so that {@code name = "book", key = "#urn"} locks what {@code "book:" + urn} locks elsewhere. Hence one name
 * should have one number of parts.
 */
public final class KeySource {

    private static final char SEPARATOR = ':';
    private static final char ESCAPE = '\\';

    private final String name;
    private final String prefix;
    private final List<LockExpression> parts;

    private KeySource(String name, List<LockExpression> parts) {
        this.name = name;
        this.prefix = name.isEmpty() || parts.isEmpty() ? name : name + SEPARATOR;
        this.parts = parts;
    }

    /**
     * Reads the key of one annotated method.
     *
     * @param name the first part of the key, or the key if there is no expression, or empty
     * @param expressions SpEL expressions that yield the other parts of the key
     * @param place the annotated method
     * @return yields the keys of each call
     * @throws LockDefinitionException if an expression is none, or the name has a colon
     */
    public static KeySource of(String name, List<String> expressions, LockedPlace place) {
        if (name.indexOf(SEPARATOR) >= 0) {
            throw new LockDefinitionException(
                    place.description() + " has name = \"" + name
                            + "\", which contains a colon. A colon separates the name from the"
                            + " rest of the key, so name 'a:b' with key 'c' and name 'a' with key 'b:c' would be the"
                            + " same lock.",
                    "Use another character in the name, such as \"" + name.replace(SEPARATOR, '.') + "\".");
        }
        return new KeySource(
                name,
                expressions.stream()
                        .map(text -> LockExpression.parse("key", text, place))
                        .toList());
    }

    /**
     * The keys of one call.
     *
     * @param target what the method is called on
     * @param targetClass its class
     * @param args the arguments of the call
     * @return one key, or those of a multi-lock
     * @throws LockKeyException if an expression yields none
     */
    public List<LockKey> keysFor(@Nullable Object target, Class<?> targetClass, @Nullable Object[] args) {
        if (parts.isEmpty()) {
            return List.of(LockKey.of(name));
        }
        CallContext call = parts.get(0).context(target, targetClass, args);
        return parts.size() == 1 ? keysOfOnePart(call) : keysOfAllParts(call);
    }

    private List<LockKey> keysOfOnePart(CallContext call) {
        LockExpression part = parts.get(0);
        List<String> texts = KeyText.of(part.value(call), part);
        return keys(join(List.of(prefix), "", texts, UnaryOperator.identity()));
    }

    private List<LockKey> keysOfAllParts(CallContext call) {
        List<String> joined = List.of(prefix);
        String separator = "";
        for (LockExpression part : parts) {
            joined = join(joined, separator, KeyText.of(part.value(call), part), KeySource::escaped);
            separator = String.valueOf(SEPARATOR);
        }
        return keys(joined);
    }

    private List<LockKey> keys(List<String> texts) {
        return texts.size() == 1
                ? List.of(key(texts.get(0)))
                : texts.stream().map(this::key).toList();
    }

    /** Each with each: of a shop and several articles, each article in that shop. */
    private static List<String> join(
            List<String> heads, String separator, List<String> tails, UnaryOperator<String> form) {
        if (heads.size() == 1 && tails.size() == 1) {
            return List.of(heads.get(0) + separator + form.apply(tails.get(0)));
        }
        List<String> joined = new ArrayList<>(heads.size() * tails.size());
        for (String head : heads) {
            for (String tail : tails) {
                joined.add(head + separator + form.apply(tail));
            }
        }
        return joined;
    }

    private static String escaped(String part) {
        if (part.indexOf(SEPARATOR) < 0 && part.indexOf(ESCAPE) < 0) {
            return part;
        }
        StringBuilder text = new StringBuilder(part.length() + 2);
        for (int i = 0; i < part.length(); i++) {
            char each = part.charAt(i);
            if (each == SEPARATOR || each == ESCAPE) {
                text.append(ESCAPE);
            }
            text.append(each);
        }
        return text.toString();
    }

    private LockKey key(String text) {
        try {
            return LockKey.of(text);
        } catch (LockKeyException e) {
            throw parts.get(0).failure(String.valueOf(e.getMessage()), e);
        }
    }

    /** {@return how many expressions the key has} */
    public int parts() {
        return parts.size();
    }

    /** {@return the expressions, as they were written but for placeholders} */
    public List<String> expressions() {
        return parts.stream().map(LockExpression::text).toList();
    }

    /** {@return the expressions as they were written, joined by commas; the name if there are none} */
    public String text() {
        return parts.isEmpty() ? name : parts.stream().map(LockExpression::text).collect(Collectors.joining(", "));
    }

    /**
     * The expressions, if nothing tells their keys from those of another definition: no name, and no text in them.
     *
     * @return their text, or null
     */
    public @Nullable String bareExpression() {
        return name.isEmpty() && parts.stream().noneMatch(LockExpression::hasText) ? text() : null;
    }
}
