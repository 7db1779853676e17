package io.holdfast.lock.benchmarks.statistics;

import java.util.Collection;

/** The spread of a figure over several rounds. */
public record Spread(double median, double min, double max, int rounds) {

    /** {@return the spread of at least one value} */
    public static Spread of(Collection<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("No values");
        }
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1], sorted.length);
    }
}
