package io.holdfast.lock.spring.key;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import org.jspecify.annotations.Nullable;

/** Where the key of a definition comes from: a name, an expression, or both. */
public final class KeySource {

    private final String name;
    private final @Nullable KeyExpression expression;

    private KeySource(String name, @Nullable KeyExpression expression) {
        this.name = name;
        this.expression = expression;
    }

    /**
     * Reads the key of one annotated method.
     *
     * @param name the first part of the key, or the key if there is no expression, or empty
     * @param expression a SpEL expression that yields the rest of the key, or blank
     * @param place the annotated method
     * @return yields the key of each call
     * @throws LockDefinitionException if the expression is none
     */
    public static KeySource of(String name, String expression, LockedPlace place) {
        return new KeySource(name, expression.isBlank() ? null : KeyExpression.parse(expression, place));
    }

    /**
     * The key of one call.
     *
     * @param target what the method is called on
     * @param targetClass its class
     * @param args the arguments of the call
     * @return the key
     * @throws LockKeyException if the expression yields none
     */
    public LockKey keyFor(@Nullable Object target, Class<?> targetClass, @Nullable Object[] args) {
        if (expression == null) {
            return LockKey.of(name);
        }
        String value = expression.evaluate(target, targetClass, args);
        try {
            return LockKey.of(name.isEmpty() ? value : name + ':' + value);
        } catch (LockKeyException e) {
            throw expression.failure(e.getMessage(), e);
        }
    }

    /**
     * The expression, if nothing tells its keys from those of another definition: no name, and no text in it.
     *
     * @return its text, or null
     */
    public @Nullable String bareExpression() {
        return name.isEmpty() && expression != null && !expression.hasText() ? expression.text() : null;
    }
}
