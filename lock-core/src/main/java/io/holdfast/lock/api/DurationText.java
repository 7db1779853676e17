package io.holdfast.lock.api;

import java.time.Duration;

/** Durations in messages, as people say them. */
public final class DurationText {

    private static final long TEN_SECONDS = 10;
    private static final long MINUTE = 60;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private DurationText() {}

    /**
     * {@return a duration as a person says it, such as 250 ms, 1.5 s, 42 s, 5 min 10 s, 16 h 39 min, 3 days 4 h} At most two
     * units, rounded towards zero.
     *
     * @param time any duration
     */
    public static String of(Duration time) {
        if (time.isNegative()) {
            return time.toSeconds() == Long.MIN_VALUE ? time.toString() : "-" + of(time.negated());
        }
        long seconds = time.toSeconds();
        if (seconds == 0) {
            return ofLessThanASecond(time.toNanosPart());
        }
        if (seconds < TEN_SECONDS) {
            int tenths = time.toNanosPart() / 100_000_000;
            return seconds + (tenths == 0 ? " s" : "." + tenths + " s");
        }
        if (seconds < MINUTE) {
            return seconds + " s";
        }
        if (seconds < HOUR) {
            return seconds / MINUTE + " min" + rest(seconds % MINUTE, " s");
        }
        if (seconds < DAY) {
            return seconds / HOUR + " h" + rest(seconds % HOUR / MINUTE, " min");
        }
        long days = seconds / DAY;
        return days + (days == 1 ? " day" : " days") + rest(seconds % DAY / HOUR, " h");
    }

    private static String ofLessThanASecond(int nanos) {
        int millis = nanos / 1_000_000;
        return millis == 0 && nanos > 0 ? "less than 1 ms" : millis + " ms";
    }

    private static String rest(long number, String unit) {
        return number == 0 ? "" : " " + number + unit;
    }
}
