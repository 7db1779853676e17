package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;

/**
 * Reads the options that one annotation sets. A time is a number or text, but not both.
 *
 * @param found the annotation, which may be the meta-annotation of another
 * @param annotation the same, with its options
 * @param source resolves placeholders and expressions
 * @param where the annotated element, for messages
 */
public record AnnotationOptions(
        MergedAnnotation<DistributedLock> found, DistributedLock annotation, LockOperationSource source, String where) {

    private static final long HOUR = 3600;
    private static final long DAY = 24 * HOUR;

    LockOptions read() {
        long waitFor = annotation.waitFor() == DistributedLock.FOREVER
                ? annotation.timeUnit().convert(LockRequest.MAX_TIME)
                : annotation.waitFor();
        return new LockOptions(
                time("lease", annotation.lease(), annotation.leaseString(), LockRequest.MIN_LEASE),
                time("waitFor", waitFor, annotation.waitForString(), Duration.ZERO),
                annotation.renew() ? null : false,
                time("minHold", annotation.minHold(), annotation.minHoldString(), Duration.ZERO),
                null,
                null,
                annotation.fair() ? true : null,
                limit(),
                null,
                null);
    }

    private @Nullable Duration time(String name, long number, String text, Duration min) {
        boolean hasNumber = number != DistributedLock.UNSPECIFIED;
        if (hasNumber && !text.isEmpty()) {
            throw new LockConfigurationException(
                    where + " has both " + name + " = " + number + " and " + name + "String = \"" + text + "\".",
                    "Use only one of them.");
        }
        if (!hasNumber && text.isEmpty()) {
            return null;
        }
        String attribute = hasNumber ? name : written(name + "String");
        boolean own = hasNumber || attribute.equals(name + "String");
        String type = own ? "DistributedLock" : found.getRoot().getType().getSimpleName();
        String place = "@" + type + where.substring(where.indexOf(' '));
        String resolved = source.evaluate(attribute, text, place).strip();
        if (!hasNumber && resolved.isEmpty()) {
            return null;
        }
        Exception cause = null;
        try {
            Duration time = hasNumber
                    ? Duration.of(number, annotation.timeUnit().toChronoUnit())
                    : DurationStyle.detectAndParse(resolved);
            if (!lacksUnit(resolved) && time.compareTo(min) >= 0 && time.compareTo(LockRequest.MAX_TIME) <= 0) {
                if (hasNumber && annotation.timeUnit() == TimeUnit.SECONDS && isDoubtful(name, number)) {
                    source.warnOnce(where + " has " + name + " = " + number + ", which is " + DurationText.of(time)
                            + ", because numbers are in seconds. If milliseconds were meant, write " + name
                            + "String = \"" + number + "ms\"; otherwise " + name + "String = \"" + number + "s\".");
                }
                return time;
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            cause = e;
        }
        String shown = (hasNumber ? number + " " + annotation.timeUnit() : "\"" + text + "\"")
                + (resolved.equals(text.strip()) ? "" : " (" + resolved + ")");
        throw new LockConfigurationException(
                place + " has " + attribute + " = " + shown + (lacksUnit(resolved) ? ", without a unit" : "")
                        + ", which is invalid.",
                attribute + " must be between " + min.toMillis() + " ms and " + LockRequest.MAX_TIME.toDays()
                        + " days. Write " + (own ? "a number in units of timeUnit (" + name + " = 10), or " : "")
                        + "text with a unit (" + (hasNumber ? name + "String" : attribute)
                        + " = \"10s\", \"PT10S\", \"${app.time}\", \"#{@settings.time}\")."
                        + (own ? " Omit the attribute to use the value from the properties." : "")
                        + hint(name, shown, resolved),
                cause);
    }

    /**
     * {@return a time that is not an option of the lock; zero if the text is empty}
     *
     * @param source resolves placeholders and expressions
     * @param where the annotated element, for messages
     * @param attribute the attribute
     * @param text its text
     * @throws LockConfigurationException if it is not a time with a unit, from 0 to {@link LockRequest#MAX_TIME}
     */
    public static Duration time(LockOperationSource source, String where, String attribute, String text) {
        String resolved = source.evaluate(attribute, text, where).strip();
        try {
            Duration time = resolved.isEmpty() ? Duration.ZERO : DurationStyle.detectAndParse(resolved);
            if (!lacksUnit(resolved) && !time.isNegative() && time.compareTo(LockRequest.MAX_TIME) <= 0) {
                return time;
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            // reported below, as one that is out of range
        }
        throw new LockConfigurationException(
                where + " has " + attribute + " = \"" + text + "\", which is invalid.",
                attribute + " must be text with a unit, up to 365 days: \"10s\", \"6h\", \"${app.time}\".");
    }

    /** {@return the attribute of a composed annotation that passes its text on to the given one, such as {@code minHold}, if any} */
    private String written(String attribute) {
        return found.getMetaTypes().stream()
                .flatMap(type -> Stream.of(type.getDeclaredMethods()))
                .filter(each -> Optional.of(attribute)
                        .equals(MergedAnnotations.from(each).get(AliasFor.class).getValue("attribute")))
                .map(Method::getName)
                .findFirst()
                .orElse(attribute);
    }

    /**
     * Whether milliseconds may have been written for seconds. Half seconds in milliseconds, such as 5000 or 1500, are odd times in
     * seconds, unless they are whole hours or days. A renewed lease of an hour is doubtful anyway: it need not cover the work.
     */
    private boolean isDoubtful(String name, long number) {
        boolean isMeant = number % HOUR == 0 && (number <= DAY || (number % DAY == 0 && number <= 100 * DAY));
        return (number >= 1000 && number % 500 == 0 && !isMeant && number != LockRequest.MAX_TIME.toSeconds())
                || (name.equals("lease") && number >= HOUR && annotation.renew());
    }

    private static String hint(String name, String shown, String text) {
        if (name.equals("waitFor") && shown.contains("-")) {
            return " To wait forever: waitFor = DistributedLock.FOREVER.";
        }
        return text.startsWith("#") || text.startsWith("@")
                ? " For a time that depends on the call, use a LockRequestCustomizer."
                : "";
    }

    /**
     * {@return whether a time is a bare number, which would be seconds in an annotation, and milliseconds in a property}
     *
     * @param text the text in an annotation or a property
     */
    public static boolean lacksUnit(String text) {
        return text.strip().matches("[-+\\d]+");
    }

    private @Nullable Integer limit() {
        int limit = annotation.limit();
        if (limit == -1) {
            return null;
        }
        if (annotation.mode() == LockMode.EXCLUSIVE) {
            throw new LockConfigurationException(
                    where + " has limit = " + limit + ", but mode = EXCLUSIVE.",
                    "Add mode = LockMode.SHARED, or remove the limit.");
        }
        if (limit < 1) {
            throw new LockConfigurationException(
                    where + " has limit = " + limit + ", which is invalid.",
                    "limit must be 1 or more; omit it for no limit. In @DistributedSemaphore, this attribute is named"
                            + " permits.");
        }
        return limit;
    }
}
