package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockKeyException;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;

/**
 * Where the key of a definition comes from: a name, an expression, or both.
 *
 * @param name the first part of the key, or the key if there is no expression, or empty
 * @param expression yields the rest of the key
 */
record KeySource(String name, @Nullable KeyExpression expression) {

    LockKey keyFor(KeyRoot call, BeanResolver beans) {
        if (expression == null) {
            return LockKey.of(name);
        }
        String value = expression.evaluate(call, beans);
        try {
            return LockKey.of(name.isEmpty() ? value : name + ':' + value);
        } catch (LockKeyException e) {
            throw expression.failure(e.getMessage(), e);
        }
    }

    /** Whether nothing tells this key from one of another definition: no name, and no text in the expression. */
    boolean isBare() {
        return name.isEmpty() && expression != null && !expression.hasText();
    }
}
