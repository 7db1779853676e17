package io.holdfast.lock.spring.key;

import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import org.jspecify.annotations.Nullable;

/** Whether a call needs its lock at all. */
public final class Condition {

    /** Every call needs it. */
    public static final Condition ALWAYS = new Condition(null);

    private final @Nullable LockExpression expression;

    private Condition(@Nullable LockExpression expression) {
        this.expression = expression;
    }

    /**
     * Reads the condition of one annotated method.
     *
     * @param text a SpEL expression that yields true or false, or blank for {@link #ALWAYS}
     * @param place the annotated method
     * @return the condition
     * @throws LockDefinitionException if the expression is none
     */
    public static Condition of(String text, LockedPlace place) {
        return text.isBlank() ? ALWAYS : new Condition(LockExpression.parse("condition", text, place));
    }

    /**
     * Whether one call needs its lock.
     *
     * @param target what the method is called on
     * @param targetClass its class
     * @param args the arguments of the call
     * @return false if it is to run without
     * @throws LockKeyException if the expression yields neither true nor false, or nothing
     */
    public boolean matches(@Nullable Object target, Class<?> targetClass, @Nullable Object[] args) {
        if (expression == null) {
            return true;
        }
        Object value = expression.value(expression.context(target, targetClass, args));
        if (value instanceof Boolean answer) {
            return answer;
        }
        throw expression.failure(
                "the expression evaluates to "
                        + (value == null ? "null" : "a " + value.getClass().getName())
                        + ", but must evaluate to true or false.",
                null);
    }
}
