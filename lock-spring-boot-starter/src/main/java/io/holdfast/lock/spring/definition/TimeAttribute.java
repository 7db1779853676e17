package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.StringValueResolver;

/** Reads a time that an annotation gives as a number or as text, but not both. */
final class TimeAttribute {

    private static final long NOT_GIVEN = -1;

    private final StringValueResolver placeholders;

    TimeAttribute(StringValueResolver placeholders) {
        this.placeholders = placeholders;
    }

    /**
     * @param name the attribute
     * @param number its numeric form, or -1
     * @param text its textual form, or empty
     * @param min the least that is allowed
     */
    record Given(String name, long number, String text, Duration min) {

        LockDefinitionException refuse(String where, String value, @Nullable Throwable cause) {
            String attribute = text.isEmpty() ? name : name + "String";
            return new LockDefinitionException(
                    where + " has " + attribute + " = " + value + ".",
                    "Allowed is " + min.toMillis() + " ms to " + LockRequest.MAX_TIME.toDays()
                            + " days, as a number of timeUnit (" + name + " = 10) or as text (" + name
                            + "String = \"10s\", \"PT10S\", \"${app.lock.time}\").",
                    cause);
        }
    }

    Optional<Duration> parse(Given given, TimeUnit unit, String where) {
        boolean hasText = !given.text().isEmpty();
        if (given.number() != NOT_GIVEN && hasText) {
            throw new LockDefinitionException(
                    where + " has both " + given.name() + " = " + given.number() + " and " + given.name()
                            + "String = \"" + given.text() + "\".",
                    "Give one of them.");
        }
        if (hasText) {
            return ofText(given, unit, where);
        }
        return given.number() == NOT_GIVEN ? Optional.empty() : Optional.of(ofNumber(given, unit, where));
    }

    private static Duration ofNumber(Given given, TimeUnit unit, String where) {
        String shown = given.number() + " " + unit;
        try {
            return checked(given, Duration.of(given.number(), unit.toChronoUnit()), where, shown);
        } catch (ArithmeticException tooLarge) {
            throw given.refuse(where, shown, tooLarge);
        }
    }

    private Optional<Duration> ofText(Given given, TimeUnit unit, String where) {
        String shown = '"' + given.text() + '"';
        String text;
        Duration value;
        try {
            text = placeholders.resolveStringValue(given.text());
            if (text == null || text.isBlank()) {
                return Optional.empty();
            }
            if (text.contains("${")) {
                throw new LockDefinitionException(
                        where + " has " + given.name() + "String = " + shown + ", and a property in it is not set.",
                        "Set the property " + text + ", or give a default: ${name:10s}.");
            }
            shown = text.equals(given.text()) ? shown : shown + " (" + text + ")";
            value = DurationStyle.detectAndParse(text.trim(), unit.toChronoUnit());
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw given.refuse(where, shown, e);
        }
        return Optional.of(checked(given, value, where, shown));
    }

    private static Duration checked(Given given, Duration value, String where, String shown) {
        if (value.compareTo(given.min()) < 0 || value.compareTo(LockRequest.MAX_TIME) > 0) {
            throw given.refuse(where, shown, null);
        }
        return value;
    }
}
