package io.holdfast.lock.benchmarks.report;

import io.holdfast.lock.benchmarks.peer.Peer;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The expectation for one figure of a peer: a limit, or a multiple of another figure.
 *
 * @param subject whose figure it is
 * @param metric which figure
 * @param atLeast whether the limit is a lower limit
 * @param limit the value, or the factor if there is a reference
 * @param reference what the factor multiplies
 */
public record Bar(
        Peer subject,
        Metric metric,
        boolean atLeast,
        double limit,
        @Nullable Reference reference) {

    /** The same metric of a peer in a row. */
    public record Reference(String title, @Nullable String row, Peer peer) {}

    /** The outcome; {@code measured} is the figure or the ratio. */
    public record Verdict(String text, String measured, boolean met) {}

    public static Bar atLeast(Peer subject, Metric metric, double limit) {
        return new Bar(subject, metric, true, limit, null);
    }

    public static Bar atMost(Peer subject, Metric metric, double limit) {
        return new Bar(subject, metric, false, limit, null);
    }

    /** {@return the bar as a multiple of that peer's figure in the same row} */
    public Bar times(Peer peer) {
        return new Bar(subject, metric, atLeast, limit, new Reference(peer.title(), null, peer));
    }

    /** {@return the bar as a multiple of the same peer's figure in another row} */
    public Bar timesRow(String row, String title) {
        return new Bar(subject, metric, atLeast, limit, new Reference(title, row, subject));
    }

    /** {@return the outcome, or empty if a figure that it needs was not measured} */
    public Optional<Verdict> judge(String row, Results results) {
        Reference other = reference;
        Optional<Double> figure = results.median(row, subject, metric);
        Optional<Double> unit = other == null
                ? Optional.of(1.0)
                : results.median(other.row() == null ? row : other.row(), other.peer(), metric);
        if (figure.isEmpty() || unit.isEmpty()) {
            return Optional.empty();
        }
        double measured = figure.get() / unit.get();
        return Optional.of(new Verdict(text(), write(measured), isMet(measured)));
    }

    private boolean isMet(double measured) {
        return atLeast ? measured >= limit : measured <= limit;
    }

    private String text() {
        String sign = atLeast ? "≥ " : "≤ ";
        String unit = reference == null ? "" : " × " + reference.title();
        String whose = subject == Peer.HOLDFAST ? "" : subject.title() + ": ";
        return whose + metric.title() + ' ' + sign + write(limit) + unit;
    }

    private String write(double value) {
        if (reference == null) {
            return metric.text(value);
        }
        String digits = String.format(Locale.ROOT, value < 1 ? "%.3f" : value < 10 ? "%.2f" : "%.0f", value);
        return new BigDecimal(digits).stripTrailingZeros().toPlainString();
    }
}
