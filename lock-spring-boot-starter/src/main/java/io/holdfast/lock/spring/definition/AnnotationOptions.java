package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/**
 * Reads the options that one annotation sets. A time is a number or text, but not both.
 *
 * @param annotation has the options
 * @param source resolves placeholders and expressions
 * @param where the annotated element, for messages
 */
public record AnnotationOptions(DistributedLock annotation, LockOperationSource source, String where) {

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
        String resolved = source.evaluate(name + "String", text, where).strip();
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
        String shown = hasNumber ? " = " + number + " " + annotation.timeUnit() : "String = \"" + text + "\"";
        throw refuse(name, shown + (resolved.equals(text.strip()) ? "" : " (" + resolved + ")"), resolved, min, cause);
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

    private LockConfigurationException refuse(
            String name, String shown, String text, Duration min, @Nullable Exception cause) {
        String hint = "";
        if (name.equals("waitFor") && shown.contains("-")) {
            hint = " To wait forever: waitFor = DistributedLock.FOREVER.";
        } else if (text.startsWith("#") || text.startsWith("@")) {
            hint = " For a time that depends on the call, use a LockRequestCustomizer.";
        }
        return new LockConfigurationException(
                where + " has " + name + shown + (lacksUnit(text) ? ", without a unit" : "") + ", which is invalid.",
                (text.isEmpty() ? name : name + "String") + " must be between " + min.toMillis() + " ms and "
                        + LockRequest.MAX_TIME.toDays() + " days. Write a number in units of timeUnit (" + name
                        + " = 10), or text with a unit (" + name
                        + "String = \"10s\", \"PT10S\", \"${app.time}\", \"#{@settings.time}\"). Omit the attribute to use the value from"
                        + " the properties."
                        + hint,
                cause);
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
