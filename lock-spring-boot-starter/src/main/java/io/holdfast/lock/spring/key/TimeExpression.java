package io.holdfast.lock.spring.key;

import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** A time that each call says for itself. */
public final class TimeExpression {

    private final LockExpression expression;
    private final TimeUnit unit;

    private TimeExpression(LockExpression expression, TimeUnit unit) {
        this.expression = expression;
        this.unit = unit;
    }

    /**
     * {@return whether a text is an expression, and not a time: it begins with a parameter or a bean}
     *
     * @param text an attribute, after placeholders were replaced
     */
    public static boolean is(String text) {
        String trimmed = text.trim();
        return trimmed.startsWith("#") || trimmed.startsWith("@");
    }

    /**
     * Reads the expression.
     *
     * @param attribute where it stands
     * @param text a SpEL expression that yields a {@link Duration}, a text with its unit, a number, or null
     * @param unit of numbers
     * @param place the annotated method
     * @return the expression
     * @throws LockDefinitionException if it is none
     */
    public static TimeExpression of(String attribute, String text, TimeUnit unit, LockedPlace place) {
        LockExpression expression = LockExpression.parse(attribute, text.trim(), place);
        int position = expression.position();
        if (position >= 0 && KotlinDurations.isDuration(place.method(), position)) {
            throw expression.refuse(
                    text.trim() + " is a kotlin.time.Duration, which is only a number at run time",
                    "Declare the parameter as java.time.Duration; callers can use toJavaDuration().");
        }
        return new TimeExpression(expression, unit);
    }

    /**
     * Gives the time of one call to its request.
     *
     * @param request what the call has otherwise
     * @param setting returns a copy with the time
     * @param target what the method is called on
     * @param targetClass its class
     * @param args the arguments of the call
     * @return the copy; the request itself, if the expression yields null
     * @throws LockKeyException if the expression fails, or yields what is no time, or one that is not allowed
     */
    public LockRequest applyTo(
            LockRequest request,
            BiFunction<LockRequest, Duration, LockRequest> setting,
            @Nullable Object target,
            Class<?> targetClass,
            @Nullable Object[] args) {
        Object value = expression.value(expression.context(target, targetClass, args));
        try {
            return time(value).map(time -> setting.apply(request, time)).orElse(request);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw expression.failure("the expression evaluates to '" + value + "': " + e.getMessage() + ".", e);
        }
    }

    private Optional<Duration> time(@Nullable Object value) {
        if (value instanceof Duration duration) {
            return Optional.of(duration);
        } else if (value instanceof Integer || value instanceof Long || value instanceof Short) {
            return Optional.of(Duration.of(((Number) value).longValue(), unit.toChronoUnit()));
        } else if (value instanceof CharSequence text) {
            return text.isEmpty() ? Optional.empty() : Optional.of(ofText(text.toString()));
        } else if (value == null) {
            return Optional.empty();
        }
        throw new IllegalArgumentException("a " + value.getClass().getName()
                + " is not a length of time; use a Duration, text with a unit such as 10s, or a whole number");
    }

    /**
     * {@return whether a time is a bare number: that would be seconds in an annotation, and milliseconds in a property}
     *
     * @param text of an annotation or a property
     */
    public static boolean lacksUnit(String text) {
        return !text.isBlank()
                && text.strip().chars().allMatch(each -> Character.isDigit(each) || each == '-' || each == '+');
    }

    /**
     * {@return a time that is written with its unit}
     *
     * @param text such as 10s or PT10S
     * @throws IllegalArgumentException if it is none, or has no unit
     */
    public static Duration ofText(String text) {
        if (lacksUnit(text)) {
            throw new IllegalArgumentException(
                    "A time given as text needs a unit, such as " + text + "ms or " + text + "s");
        }
        return DurationStyle.detectAndParse(text);
    }
}
