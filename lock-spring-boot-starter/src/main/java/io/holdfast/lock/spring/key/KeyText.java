package io.holdfast.lock.spring.key;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/** The text of what a key expression yields: numbers, UUIDs and the like as they print, enums by their name. */
final class KeyText {

    private KeyText() {}

    static String of(@Nullable Object yielded, KeyExpression source) {
        Object value = ObjectUtils.unwrapOptional(yielded);
        if (value == null) {
            throw source.failure(
                    "it is null. Check the argument before the call, or build the key from another value.", null);
        }
        if (!(value instanceof CharSequence || value instanceof Number)) {
            refuseSeveral(value, source);
            refuseIdentity(value, source);
        }
        String text = value instanceof Enum<?> constant ? constant.name() : String.valueOf(value);
        if (text.isBlank()) {
            throw source.failure(
                    "it is blank. Check the argument before the call, or build the key from another value.", null);
        }
        return text;
    }

    private static void refuseSeveral(Object value, KeyExpression source) {
        boolean iterable = value instanceof Iterable<?> && !(value instanceof Path);
        if (iterable || value instanceof Map<?, ?> || value.getClass().isArray()) {
            throw source.failure(
                    "it yields " + (value instanceof Map<?, ?> ? "a map" : "a collection")
                            + ", and several keys at once are not supported." + " Let the expression yield one value.",
                    null);
        }
    }

    /** {@code Order@1b2c3d} is another text for each object, so nobody would ever exclude anybody. */
    private static void refuseIdentity(Object value, KeyExpression source) {
        var toString = ReflectionUtils.findMethod(value.getClass(), "toString");
        if (toString != null && toString.getDeclaringClass() == Object.class) {
            throw source.failure(
                    "it yields a " + value.getClass().getName() + ", which has no toString() of its own, so each object"
                            + " would be another key. Use a property that identifies it, such as its id.",
                    null);
        }
    }
}
