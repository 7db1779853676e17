package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.origin.Origin;

/** A property of Holdfast has a value that is not allowed; the failure analysis shows where it is set. */
public final class InvalidLockPropertyException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String property;
    private final String value;
    private final String action;

    /** @param value as it may be shown: without a password */
    private InvalidLockPropertyException(
            String property, String value, String action, @Nullable IllegalArgumentException cause) {
        super(property + " is '" + value + "', which is invalid. " + action, cause);
        this.property = property;
        this.value = value;
        this.action = action;
    }

    /**
     * Creates an instance.
     *
     * @param property its name
     * @param value as it may be shown: without a password
     * @param allowed what is, as a phrase
     */
    public InvalidLockPropertyException(String property, @Nullable Object value, String allowed) {
        this(property, shown(value), "Change " + property + ": it must be " + allowed + ".", null);
    }

    /** A time that could be seconds or milliseconds. */
    static InvalidLockPropertyException withoutUnit(String property, String value) {
        return new InvalidLockPropertyException(
                property, value, "Change " + property + ": a time needs a unit, such as 30s or 500ms.", null);
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
            throw new InvalidLockPropertyException(property, shown(value), "Change " + property + ": " + allowed(e), e);
        }
    }

    /** The core says "x is y; it must be z": what is before the semicolon names no property. */
    private static String allowed(IllegalArgumentException e) {
        String message = String.valueOf(e.getMessage());
        return message.substring(message.lastIndexOf("; ") + 1).trim() + ".";
    }

    private static String shown(@Nullable Object value) {
        return value instanceof Duration duration ? text(duration) : String.valueOf(value);
    }

    /**
     * Checks a time.
     *
     * @param value of the property; null, if it is not set, is allowed
     * @param least the shortest time that is allowed; the longest is {@link LockRequest#MAX_TIME}
     * @throws InvalidLockPropertyException if it is out of range
     */
    static void checkTime(String property, @Nullable Duration value, Duration least) {
        if (value != null && (value.compareTo(least) < 0 || value.compareTo(LockRequest.MAX_TIME) > 0)) {
            throw new InvalidLockPropertyException(
                    property,
                    value,
                    "between " + least.toMillis() + " ms and " + LockRequest.MAX_TIME.toDays() + " days");
        }
    }

    /** As one would write it in a property: 30ms, rather than PT0.03S. */
    static String text(Duration time) {
        if (time.toNanosPart() == 0) {
            return time.toSeconds() + "s";
        }
        return time.toNanosPart() % 1_000_000 == 0 ? time.toMillis() + "ms" : time.toString();
    }

    String property() {
        return property;
    }

    /** {@return what is wrong}
     *
     * @param origin where the property is set, if that is known
     */
    String problem(@Nullable Origin origin) {
        return "Property " + property + " is '" + value + "'" + (origin == null ? "" : " (" + origin + ")")
                + ", which is invalid.";
    }

    String action() {
        return action;
    }
}
