package io.holdfast.lock.benchmarks.report;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** A quantity that is measured, and how it is formatted. */
public enum Metric {
    PAIRS("pairs/s", true),
    PAIR_P99("p99 of a pair", false),
    JAIN("Jain index", true),
    WAIT_P50("median wait", false),
    WAIT_P99("p99 wait", false),
    WAIT_LONGEST("longest wait", false),
    HAND_OVER("hand-over, median", false),
    HAND_OVER_P99("hand-over, p99", false),
    COMMANDS("commands per acquisition", false),
    COMMAND_RATE("commands/s", false),
    CPU("client CPU, % of a core", false),
    SERVER_TIME("Redis' processor time per pair", false),
    COMPILER("compiler, % of a core", false),
    LOST("locks lost", false),
    THREADS_ADDED("threads more than idle", false),
    RENEWAL_RATE("renewal calls/s", false);

    private final String title;
    private final boolean moreIsBetter;

    Metric(String title, boolean moreIsBetter) {
        this.title = title;
        this.moreIsBetter = moreIsBetter;
    }

    public String title() {
        return title;
    }

    public boolean moreIsBetter() {
        return moreIsBetter;
    }

    /** {@return the value in readable form; times are given in nanoseconds} */
    public String text(double value) {
        return switch (this) {
            case PAIR_P99, WAIT_P50, WAIT_P99, WAIT_LONGEST, HAND_OVER, HAND_OVER_P99 -> time(value);
            case SERVER_TIME -> String.format(Locale.ROOT, "%.1f µs", value);
            case JAIN -> String.format(Locale.ROOT, "%.4f", value);
            case PAIRS -> String.format(Locale.ROOT, "%,.0f", value);
            case LOST, THREADS_ADDED -> String.format(Locale.ROOT, "%.0f", value);
            default -> String.format(Locale.ROOT, value < 10 ? "%.2f" : "%,.1f", value);
        };
    }

    private static String time(double nanos) {
        double micros = nanos / TimeUnit.MICROSECONDS.toNanos(1);
        if (micros < 1000) {
            return String.format(Locale.ROOT, micros < 10 ? "%.1f µs" : "%.0f µs", micros);
        }
        double millis = micros / 1000;
        return millis < 1000
                ? String.format(Locale.ROOT, millis < 10 ? "%.1f ms" : "%.0f ms", millis)
                : String.format(Locale.ROOT, "%.1f s", millis / 1000);
    }
}
