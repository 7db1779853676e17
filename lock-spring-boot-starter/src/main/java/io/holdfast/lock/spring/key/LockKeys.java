package io.holdfast.lock.spring.key;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.api.LockRequest;
import java.nio.Buffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Date;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.spel.support.StandardTypeConverter;
import org.springframework.util.ObjectUtils;

/**
 * Where the keys of a lock come from: a name, expressions, or both. Numbers, UUIDs and similar values are used as text, enums by
 * name.
 *
 * <p>A name and a value are joined as {@code name:value}; the value is not escaped, so that {@code name = "book", key = "#urn"} locks
 * the same key as {@code "book:" + urn} elsewhere. {@code parts(…)} escapes its values. Different names never result in the same
 * key, since a name contains no colon. Therefore all keys with the same name should have the same number of parts.
 *
 * @param name the first part of the key, or the key if there is no expression, or empty
 * @param several whether a collection or an array results in several keys; otherwise it is an error
 * @param expressions yield the rest of the keys; only one, unless there are several keys
 */
public record LockKeys(String name, boolean several, List<LockExpression> expressions) {

    /** {@code com.example.Order@1b2c3d}, on its own or inside the text of another object. */
    private static final Pattern TEXT_OF_IDENTITY = Pattern.compile("\\w\\.[A-Z$][\\w.$/]*@[0-9a-f]{1,8}(?![\\w.@-])");

    /** {@code [I@1b2c3d}, which Java prints for an array. */
    private static final Pattern TEXT_OF_ARRAY = Pattern.compile("\\[+([BCDFIJSZ]|L[\\w.$]+;)@[0-9a-f]+");

    private static final ReactiveAdapterRegistry REACTIVE = ReactiveAdapterRegistry.getSharedInstance();

    /** An expression that begins with literal text. */
    private static final Pattern LITERAL = Pattern.compile("[\\s({]*(parts\\s*\\(\\s*)?['\"].*", Pattern.DOTALL);

    /**
     * The keys of one call.
     *
     * @param call the call
     * @return one key, or those of a multi-lock
     * @throws LockKeyException if an expression yields no key
     */
    public List<LockKey> of(LockExpression.Call call) {
        if (expressions.isEmpty()) {
            return List.of(LockKey.of(name));
        }
        if (!several) {
            LockExpression key = expressions.get(0);
            return List.of(key(requireText(unwrapped(key.value(call)), "the value", key::failure)));
        }
        Set<String> texts = new LinkedHashSet<>();
        for (LockExpression each : expressions) {
            texts.addAll(texts(each.value(call), each::failure));
            if (texts.size() > LockRequest.MAX_KEYS) {
                throw each.failure("the call would lock " + texts.size() + " keys; at most " + LockRequest.MAX_KEYS
                        + " are allowed. Lock something that they have in common, such as their account.");
            }
        }
        return texts.stream().map(this::key).toList();
    }

    /** The part after the name. */
    private LockKey key(String text) {
        try {
            return LockKey.of(name.isEmpty() ? text : name + ':' + text);
        } catch (LockKeyException e) {
            throw expressions.get(0).failure(String.valueOf(e.getMessage()), e);
        }
    }

    /** {@return whether the keys have neither a name nor literal text in front, so that they may be those of another resource} */
    public boolean isAmbiguous() {
        return name.isEmpty()
                && !expressions.stream()
                        .allMatch(each -> LITERAL.matcher(each.text()).matches());
    }

    /** Joins the values of {@code parts(…)}. */
    static String join(@Nullable Object[] values) {
        List<String> texts = new ArrayList<>();
        for (Object each : values) {
            texts.add(requireText(unwrapped(each), "part " + (texts.size() + 1), LockKeyException::new));
        }
        return LockKey.of(texts.remove(0), texts.toArray()).value();
    }

    private static List<String> texts(@Nullable Object yielded, Function<String, LockKeyException> failure) {
        Object value = unwrapped(yielded);
        if (value == null || !isSeveral(value)) {
            return List.of(requireText(value, "the value", failure));
        }
        List<String> texts = new ArrayList<>();
        for (Object each : value instanceof Iterable<?> many ? many : Arrays.asList(ObjectUtils.toObjectArray(value))) {
            texts.add(requireText(unwrapped(each), "element " + texts.size() + " of the value", failure));
        }
        if (texts.isEmpty()) {
            throw failure.apply(
                    "the value is an empty collection, so there is nothing to lock. Do not call the method if there is"
                            + " nothing to do.");
        }
        return texts;
    }

    /** {@return the value in an optional, a reference or a value class, whose own text differs from it; null if it is empty} */
    static @Nullable Object unwrapped(@Nullable Object value) {
        Object held = value instanceof String ? value : KotlinValues.unboxed(value);
        Optional<?> content = null;
        if (held instanceof Optional<?> optional) {
            content = optional;
        } else if (held instanceof OptionalLong number) {
            content = number.stream().boxed().findAny();
        } else if (held instanceof OptionalInt number) {
            content = number.stream().boxed().findAny();
        } else if (held instanceof OptionalDouble number) {
            content = number.stream().boxed().findAny();
        } else if (held instanceof AtomicReference<?> reference) {
            content = Optional.ofNullable(reference.get());
        }
        return content == null ? held : unwrapped(content.orElse(null));
    }

    /** Whether a value consists of values that may be keys. */
    private static boolean isSeveral(Object value) {
        return (value instanceof Iterable<?> && !(value instanceof Path))
                || (value.getClass().isArray() && !(value instanceof byte[]) && !(value instanceof char[]));
    }

    private static String requireText(@Nullable Object value, String what, Function<String, LockKeyException> failure) {
        String text = value == null ? "" : text(value, what, failure);
        if (text.isBlank()) {
            throw failure.apply(what + (value == null ? " is null" : " is blank")
                    + ". Check the argument before the call, or build the key from another value.");
        }
        if (text.indexOf('@') >= 0 && TEXT_OF_ARRAY.matcher(text).find()) {
            throw failure.apply(what + " is '" + text
                    + "', the default text of an array, which is different for each array. Use an expression"
                    + " that evaluates to the array itself, with keys, or join its elements.");
        }
        return text;
    }

    private static String text(Object value, String what, Function<String, LockKeyException> failure) {
        if (value instanceof CharSequence || value instanceof Number) {
            return value.toString();
        }
        if (value instanceof Map<?, ?>) {
            throw failure.apply(
                    what + " is a map, which is not a single value. Use a value in it, such as #map['id'], or"
                            + " join several: parts(#map['shop'], #map['id']).");
        }
        if (isSeveral(value)) {
            throw failure.apply(what + " is a collection or an array, which is not a single value. "
                    + (what.startsWith("element ")
                            ? "Flatten the value before the call, use a property of each element, such as #orders.![id], or,"
                                    + " with keys, write an expression for each collection: {\"#from\", \"#to\"}."
                            : "To lock each of several values, all or none, use keys = \"#ids\"; to join values into one"
                                    + " key, use key = \"parts(#shop, #id)\"."));
        }
        String text = value instanceof Enum<?> constant ? constant.name() : String.valueOf(value);
        String problem = null;
        if (value instanceof Date || value instanceof Calendar) {
            problem = "depends on the time zone of the JVM. Use a value that does not depend on it, such as"
                    + " #date.toInstant(), or #date.getTime().";
        } else if (value instanceof Buffer
                || value.getClass().isArray()
                || REACTIVE.getAdapter(value.getClass()) != null) {
            problem = "does not contain its content. Build the key from the content.";
        } else if (isIdentity(text, value)) {
            problem = "has the identity of an object that does not override toString(), so each object would be a"
                    + " different key. Use a property that identifies it, such as its id.";
        }
        if (problem != null) {
            throw failure.apply(what + " is a " + value.getClass().getTypeName() + ", whose text " + problem);
        }
        return text;
    }

    private static boolean isIdentity(String text, Object value) {
        return text.indexOf('@') >= 0
                && (text.contains("@" + Integer.toHexString(System.identityHashCode(value)))
                        || TEXT_OF_IDENTITY.matcher(text).find());
    }

    /** Converts values to text, to join them with other text, by the rules for keys. {@link LockExpression} finds nulls. */
    static final class Joined extends StandardTypeConverter {

        @Override
        public boolean canConvert(@Nullable TypeDescriptor source, TypeDescriptor target) {
            return target.getType() == String.class || super.canConvert(source, target);
        }

        @Override
        public @Nullable Object convertValue(
                @Nullable Object value, @Nullable TypeDescriptor source, TypeDescriptor target) {
            if (target.getType() != String.class) {
                return super.convertValue(value, source, target);
            }
            Object held = unwrapped(value);
            if (held == null) {
                return null;
            }
            return isSeveral(held)
                    ? String.join(",", texts(held, LockKeyException::new))
                    : text(held, "a value that is joined with text", LockKeyException::new);
        }
    }

    /** {@return the texts of the expressions} */
    public List<String> texts() {
        return expressions.stream().map(LockExpression::text).toList();
    }
}
