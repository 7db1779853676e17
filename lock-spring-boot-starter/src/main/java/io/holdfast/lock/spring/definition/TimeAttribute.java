package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.key.LockedPlace;
import io.holdfast.lock.spring.key.TimeExpression;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reads a time that an annotation gives as a number or as text, but not both. */
final class TimeAttribute {

    private static final long UNSPECIFIED = DistributedLock.UNSPECIFIED;

    private final Placeholders placeholders;

    TimeAttribute(Placeholders placeholders) {
        this.placeholders = placeholders;
    }

    /**
     * @param name the attribute
     * @param number its numeric form, or {@link DistributedLock#UNSPECIFIED}
     * @param text its textual form, or empty
     * @param min the least that is allowed
     */
    record Given(String name, long number, String text, Duration min) {

        LockDefinitionException refuse(String where, String value, @Nullable Throwable cause) {
            String attribute = text.isEmpty() ? name : textName();
            return new LockDefinitionException(
                    where + " has " + attribute + " = " + value + ", which is invalid.",
                    attribute + " must be between " + min.toMillis() + " ms and " + LockRequest.MAX_TIME.toDays()
                            + " days. Write a number in units of timeUnit (" + name
                            + " = 10), or text with a unit or an expression ("
                            + textName()
                            + " = \"10s\", \"PT10S\", \"${app.lock.time}\", \"#order.lease\"). Omit the attribute to"
                            + " use the value from the properties." + withoutLimit(value),
                    cause);
        }

        private String withoutLimit(String value) {
            return name.equals("waitFor") && value.contains("-")
                    ? " To wait without limit: waitFor = DistributedLock.UNLIMITED."
                    : "";
        }

        String textName() {
            return name + "String";
        }
    }

    Optional<Duration> parse(Given given, TimeUnit unit, String where) {
        boolean hasText = !given.text().isEmpty();
        if (given.number() != UNSPECIFIED && hasText) {
            throw new LockDefinitionException(
                    where + " has both " + given.name() + " = " + given.number() + " and " + given.textName() + " = \""
                            + given.text() + "\".",
                    "Use only one of them.");
        }
        if (hasText) {
            return ofText(given, where);
        }
        return given.number() == UNSPECIFIED ? Optional.empty() : Optional.of(ofNumber(given, unit, where));
    }

    private static Duration ofNumber(Given given, TimeUnit unit, String where) {
        String shown = given.number() + " " + unit;
        try {
            return checked(given, Duration.of(given.number(), unit.toChronoUnit()), where, shown);
        } catch (ArithmeticException tooLarge) {
            throw given.refuse(where, shown, tooLarge);
        }
    }

    private Optional<Duration> ofText(Given given, String where) {
        String text = resolved(given, where);
        if (text.isBlank() || TimeExpression.is(text)) {
            return Optional.empty();
        }
        String written = '"' + given.text() + '"';
        String shown = text.equals(given.text()) ? written : written + " (" + text + ")";
        Duration value;
        try {
            value = TimeExpression.ofText(text.trim());
        } catch (IllegalArgumentException | ArithmeticException e) {
            boolean isBare = text.chars().allMatch(Character::isDigit);
            throw given.refuse(where, shown + (isBare ? ", without a unit" : ""), e);
        }
        return Optional.of(checked(given, value, where, shown));
    }

    /** The expression that a text is, if it is one. */
    Optional<TimeExpression> expression(Given given, TimeUnit unit, LockedPlace place) {
        String text = resolved(given, place.description());
        return TimeExpression.is(text)
                ? Optional.of(TimeExpression.of(given.textName(), text, unit, place))
                : Optional.empty();
    }

    private String resolved(Given given, String where) {
        return placeholders.resolve(given.textName(), given.text(), where);
    }

    private static Duration checked(Given given, Duration value, String where, String shown) {
        if (value.compareTo(given.min()) < 0 || value.compareTo(LockRequest.MAX_TIME) > 0) {
            throw given.refuse(where, shown, null);
        }
        return value;
    }
}
