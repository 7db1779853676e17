package io.holdfast.lock.spring.autoconfigure;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A property of {@link LockProperties} has a value that is not allowed. */
final class InvalidLockPropertyException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String property;
    private final String value;
    private final String allowed;
    private final boolean time;

    /**
     * Creates an instance.
     *
     * @param cause what the core says of the value: "x is y; what is allowed"
     */
    InvalidLockPropertyException(String property, @Nullable Object value, IllegalArgumentException cause) {
        super(property + ": " + cause.getMessage(), cause);
        this.property = property;
        this.value = String.valueOf(value);
        this.time = value instanceof Duration;
        String message = String.valueOf(cause.getMessage());
        this.allowed = message.substring(message.lastIndexOf("; ") + 1).trim();
    }

    /**
     * Creates an instance.
     *
     * @param value as it may be shown: without a password
     * @param allowed what is, as a phrase
     */
    InvalidLockPropertyException(String property, @Nullable Object value, String allowed) {
        this(property, value, new IllegalArgumentException("it is " + value + "; allowed is " + allowed));
    }

    /**
     * Has the core check a value, so that a failure names its property.
     *
     * @throws InvalidLockPropertyException if it is not allowed
     */
    static void check(String property, @Nullable Object value, Runnable attempt) {
        try {
            attempt.run();
        } catch (IllegalArgumentException e) {
            throw new InvalidLockPropertyException(property, value, e);
        }
    }

    String problem() {
        return "Property " + property + " is '" + value + "', which is not allowed.";
    }

    String action() {
        String unit = time ? " A number without a unit is milliseconds: write 30s for seconds." : "";
        return "Change " + property + ": " + allowed + "." + unit;
    }
}
