package io.holdfast.lock.scenes;

import java.util.Locale;

/**
 * What one operation costs.
 *
 * @param commands sent by clients
 * @param inner called by scripts
 * @param roundTrips how often a client waited for an answer before it sent more
 * @param bytesTo Redis
 * @param bytesFrom Redis, messages included
 */
record OperationCost(double commands, double inner, double roundTrips, double bytesTo, double bytesFrom) {

    static final OperationCost NONE = new OperationCost(0, 0, 0, 0, 0);

    /** Ids have one digit less now and then: on average of all runs, by less than that. */
    private static final double LEAST_TOLERANCE = 2;

    private static final double TOLERANCE = 0.0025;

    OperationCost plus(OperationCost other) {
        return new OperationCost(
                commands + other.commands,
                inner + other.inner,
                roundTrips + other.roundTrips,
                bytesTo + other.bytesTo,
                bytesFrom + other.bytesFrom);
    }

    OperationCost dividedBy(int runs) {
        return new OperationCost(commands / runs, inner / runs, roundTrips / runs, bytesTo / runs, bytesFrom / runs);
    }

    /** Five numbers of a line, as {@link #toString} writes them. */
    static OperationCost parse(String[] numbers, int from) {
        return new OperationCost(
                Double.parseDouble(numbers[from]),
                Double.parseDouble(numbers[from + 1]),
                Double.parseDouble(numbers[from + 2]),
                Double.parseDouble(numbers[from + 3]),
                Double.parseDouble(numbers[from + 4]));
    }

    /** A line for each number that is not the same, or, of bytes, not the same within the tolerance. */
    String differencesFrom(OperationCost expected) {
        return exact("commands", expected.commands, commands)
                + exact("inner commands", expected.inner, inner)
                + exact("round trips", expected.roundTrips, roundTrips)
                + tolerant("bytes to Redis", expected.bytesTo, bytesTo)
                + tolerant("bytes from Redis", expected.bytesFrom, bytesFrom);
    }

    private static String exact(String what, double expected, double found) {
        return difference(what, expected, found, 0.001);
    }

    private static String tolerant(String what, double expected, double found) {
        return difference(what, expected, found, Math.max(LEAST_TOLERANCE, expected * TOLERANCE));
    }

    private static String difference(String what, double expected, double found, double tolerance) {
        if (Math.abs(found - expected) <= tolerance) {
            return "";
        }
        return String.format(
                Locale.ROOT,
                "  %s %s: %s instead of %s%n",
                what,
                found > expected ? "grew" : "fell",
                number(found),
                number(expected));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.2f", value).replaceFirst("\\.?0+$", "");
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%8s %8s %8s %8.0f %8.0f",
                number(commands),
                number(inner),
                number(roundTrips),
                bytesTo,
                bytesFrom);
    }
}
