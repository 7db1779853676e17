package io.holdfast.lock.api;

import java.time.Duration;

/** Formats durations for messages, in human-readable form. */
public final class DurationText {

    private DurationText() {}

    /**
     * {@return the duration in human-readable form, such as 250 ms, 1.5 s, 42 s, 5 min 10 s, 16 h 39 min, 3 days 4 h} At most two units,
     * rounded towards zero.
     *
     * @param time zero or more
     */
    public static String of(Duration time) {
        if (time.toDays() > 0) {
            return time.toDays() + (time.toDays() == 1 ? " day" : " days") + rest(time.toHoursPart(), " h");
        }
        if (time.toHours() > 0) {
            return time.toHours() + " h" + rest(time.toMinutesPart(), " min");
        }
        if (time.toMinutes() > 0) {
            return time.toMinutes() + " min" + rest(time.toSecondsPart(), " s");
        }
        if (time.toSeconds() == 0) {
            return time.toMillis() + " ms";
        }
        int tenths = time.toSeconds() < 10 ? time.toMillisPart() / 100 : 0;
        return time.toSeconds() + (tenths == 0 ? " s" : "." + tenths + " s");
    }

    private static String rest(int number, String unit) {
        return number == 0 ? "" : " " + number + unit;
    }
}
