package io.holdfast.lock.spring.key;

import io.holdfast.lock.api.LockKeyException;
import java.lang.reflect.Array;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/** The texts of what a key expression yields: numbers, UUIDs and the like as they print, enums by their name. */
final class KeyText {

    /** {@code Order@1b2c3d} is another text for each object, so nobody would ever exclude anybody. */
    private static final ClassValue<Boolean> PRINTS_IDENTITY = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            var toString = ReflectionUtils.findMethod(type, "toString");
            return toString != null && toString.getDeclaringClass() == Object.class;
        }
    };

    /** {@code [I@1b2c3d}, which Java prints for an array. */
    private static final Pattern TEXT_OF_ARRAY = Pattern.compile("\\[+([BCDFIJSZ]|L[\\w.$]+;)@[0-9a-f]+");

    private static final String ADVICE = "Check the argument before the call, or build the key from another value.";

    private KeyText() {}

    /**
     * {@return one text; of a collection or an array, those of its elements}
     *
     * @throws LockKeyException if there is none, or one that is no key
     */
    static List<String> of(@Nullable Object yielded, LockExpression source) {
        Object value = unwrapped(yielded);
        if (value instanceof Iterable<?> several && !(value instanceof Path)) {
            return texts(several, source);
        }
        if (value != null && value.getClass().isArray()) {
            return texts(elements(value, source), source);
        }
        return List.of(text(value, "the value", source));
    }

    private static @Nullable Object unwrapped(@Nullable Object value) {
        return ValueClasses.unboxed(ObjectUtils.unwrapOptional(value));
    }

    private static List<@Nullable Object> elements(Object array, LockExpression source) {
        if (array instanceof byte[] || array instanceof char[]) {
            throw source.failure(
                    "the value is a " + array.getClass().getComponentType()
                            + "[], whose elements are not keys. Convert it to text, for example with"
                            + " new String(#chars), or to a hexadecimal digest.",
                    null);
        }
        List<@Nullable Object> elements = new ArrayList<>();
        for (int i = 0; i < Array.getLength(array); i++) {
            elements.add(Array.get(array, i));
        }
        return elements;
    }

    private static List<String> texts(Iterable<?> several, LockExpression source) {
        List<String> texts = new ArrayList<>();
        for (Object each : several) {
            texts.add(text(unwrapped(each), "element " + texts.size() + " of the value", source));
        }
        if (texts.isEmpty()) {
            throw source.failure(
                    "the value is an empty collection, so there is nothing to lock. Do not call the method if there is"
                            + " nothing to do.",
                    null);
        }
        return texts;
    }

    private static String text(@Nullable Object value, String what, LockExpression source) {
        if (value == null) {
            throw source.failure(what + " is null. " + ADVICE, null);
        }
        if (!(value instanceof CharSequence || value instanceof Number)) {
            refuseObject(value, what, source);
        }
        String text = value instanceof Enum<?> constant ? constant.name() : String.valueOf(value);
        if (text.isBlank()) {
            throw source.failure(what + " is blank. " + ADVICE, null);
        }
        if (text.indexOf('@') >= 0 && TEXT_OF_ARRAY.matcher(text).find()) {
            throw source.failure(
                    what + " is '" + text
                            + "', the default text of an array, which is different for each array. Use an expression"
                            + " that evaluates to the array itself, which locks all of its elements, or join the"
                            + " elements.",
                    null);
        }
        return text;
    }

    private static void refuseObject(Object value, String what, LockExpression source) {
        boolean iterable = value instanceof Iterable<?> && !(value instanceof Path);
        if (iterable || value instanceof Map<?, ?> || value.getClass().isArray()) {
            throw source.failure(
                    what + " is a " + (value instanceof Map<?, ?> ? "map" : "collection")
                            + ", which is not a key. The expression must evaluate to one value, or to a collection of values.",
                    null);
        }
        if (value instanceof Date || value instanceof Calendar) {
            throw source.failure(
                    what + " is a " + value.getClass().getName()
                            + ", whose text depends on the time zone of the JVM. Use a value that does not depend on"
                            + " it, such as"
                            + " #date.toInstant(), or #date.getTime().",
                    null);
        }
        if (PRINTS_IDENTITY.get(value.getClass())) {
            throw source.failure(
                    what + " is a " + value.getClass().getName()
                            + ", which does not override toString(), so each object"
                            + " would be a different key. Use a property that identifies it, such as its id.",
                    null);
        }
    }
}
