package io.holdfast.lock.spring.key;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockKeyException;
import java.lang.reflect.Array;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Where the keys of a lock come from: a name, expressions, or both. Numbers, UUIDs and similar values are used as text, enums by
 * name; a collection or an array results in several keys.
 *
 * <p>Name and parts are joined as {@code name:part:part}. Different names and parts never result in the same key: a name contains
 * no colon, so it ends at the first one; and in each of several parts, colons and backslashes are escaped with a backslash. A
 * single part is not escaped, so that {@code name = "book", key = "#urn"} locks the same key as {@code "book:" + urn} elsewhere.
 * Therefore all keys with the same name should have the same number of parts.
 */
public final class LockKeys {

    /** {@code Order@1b2c3d} differs for each object, so no caller would ever exclude another. */
    private static final ClassValue<Boolean> PRINTS_IDENTITY = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            var toString = ReflectionUtils.findMethod(type, "toString");
            return toString != null && toString.getDeclaringClass() == Object.class;
        }
    };

    /** {@code [I@1b2c3d}, which Java prints for an array. */
    private static final Pattern TEXT_OF_ARRAY = Pattern.compile("\\[+([BCDFIJSZ]|L[\\w.$]+;)@[0-9a-f]+");

    private static final Pattern SPECIAL = Pattern.compile("[:\\\\]");

    private final String name;
    private final List<LockExpression> parts;

    /**
     * Creates an instance.
     *
     * @param name the first part of the key, or the key if there is no expression, or empty
     * @param parts yield the other parts of the key
     */
    public LockKeys(String name, List<LockExpression> parts) {
        this.name = name;
        this.parts = parts;
    }

    /**
     * The keys of one call.
     *
     * @param call the call
     * @return one key, or those of a multi-lock
     * @throws LockKeyException if an expression yields no key
     */
    public List<LockKey> of(LockExpression.Call call) {
        if (parts.isEmpty()) {
            return List.of(LockKey.of(name));
        }
        UnaryOperator<String> form =
                parts.size() == 1 ? text -> text : text -> SPECIAL.matcher(text).replaceAll("\\\\$0");
        List<String> joined = List.of(name);
        String separator = name.isEmpty() ? "" : ":";
        for (LockExpression part : parts) {
            joined = join(joined, separator, texts(part.value(call), part), form);
            separator = ":";
        }
        List<LockKey> keys = new ArrayList<>(joined.size());
        for (String each : joined) {
            keys.add(key(each));
        }
        return keys;
    }

    /** All combinations: for one shop and several articles, each article in that shop. */
    private static List<String> join(
            List<String> heads, String separator, List<String> tails, UnaryOperator<String> form) {
        List<String> joined = new ArrayList<>(heads.size() * tails.size());
        for (String head : heads) {
            for (String tail : tails) {
                joined.add(head + separator + form.apply(tail));
            }
        }
        return joined;
    }

    private LockKey key(String text) {
        try {
            return LockKey.of(text);
        } catch (LockKeyException e) {
            throw parts.get(0).failure(String.valueOf(e.getMessage()), e);
        }
    }

    private static List<String> texts(@Nullable Object yielded, LockExpression source) {
        Object value = unwrapped(yielded);
        if (value == null || !isSeveral(value)) {
            return List.of(text(value, "the value", source));
        }
        List<String> texts = new ArrayList<>();
        for (Object each : value instanceof Iterable<?> several ? several : elements(value, source)) {
            texts.add(text(unwrapped(each), "element " + texts.size() + " of the value", source));
        }
        if (texts.isEmpty()) {
            throw source.failure(
                    "the value is an empty collection, so there is nothing to lock. Do not call the method if there is"
                            + " nothing to do.");
        }
        return texts;
    }

    private static @Nullable Object unwrapped(@Nullable Object value) {
        return value instanceof String ? value : KotlinValues.unboxed(ObjectUtils.unwrapOptional(value));
    }

    private static boolean isSeveral(Object value) {
        return (value instanceof Iterable<?> && !(value instanceof Path))
                || value.getClass().isArray();
    }

    private static List<@Nullable Object> elements(Object array, LockExpression source) {
        if (array instanceof byte[] || array instanceof char[]) {
            throw source.failure("the value is a " + array.getClass().getComponentType()
                    + "[], whose elements are not keys. Convert it to text, for example with"
                    + " new String(#chars), or to a hexadecimal digest.");
        }
        List<@Nullable Object> elements = new ArrayList<>();
        for (int i = 0; i < Array.getLength(array); i++) {
            elements.add(Array.get(array, i));
        }
        return elements;
    }

    private static String text(@Nullable Object value, String what, LockExpression source) {
        if (value == null) {
            throw missing(what + " is null", source);
        }
        if (!(value instanceof CharSequence || value instanceof Number)) {
            refuseObject(value, what, source);
        }
        String text = value instanceof Enum<?> constant ? constant.name() : String.valueOf(value);
        if (text.isBlank()) {
            throw missing(what + " is blank", source);
        }
        if (text.indexOf('@') >= 0 && TEXT_OF_ARRAY.matcher(text).find()) {
            throw source.failure(what + " is '" + text
                    + "', the default text of an array, which is different for each array. Use an expression"
                    + " that evaluates to the array itself, which locks all of its elements, or join the"
                    + " elements.");
        }
        return text;
    }

    private static LockKeyException missing(String problem, LockExpression source) {
        return source.failure(problem + ". Check the argument before the call, or build the key from another value.");
    }

    private static void refuseObject(Object value, String what, LockExpression source) {
        if (isSeveral(value) || value instanceof Map<?, ?>) {
            throw source.failure(what + " is a " + (value instanceof Map<?, ?> ? "map" : "collection")
                    + ", which is not a key. The expression must evaluate to one value, or to a collection of values.");
        }
        if (value instanceof Date || value instanceof Calendar) {
            throw source.failure(what + " is a " + value.getClass().getName()
                    + ", whose text depends on the time zone of the JVM. Use a value that does not depend on"
                    + " it, such as"
                    + " #date.toInstant(), or #date.getTime().");
        }
        if (PRINTS_IDENTITY.get(value.getClass())) {
            throw source.failure(what + " is a " + value.getClass().getName()
                    + ", which does not override toString(), so each object"
                    + " would be a different key. Use a property that identifies it, such as its id.");
        }
    }

    /** {@return the expressions} */
    public List<String> expressions() {
        return parts.stream().map(LockExpression::text).toList();
    }
}
