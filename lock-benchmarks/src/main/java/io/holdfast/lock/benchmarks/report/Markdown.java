package io.holdfast.lock.benchmarks.report;

import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.statistics.Spread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The page: every figure, what was expected, and charts. */
public final class Markdown {

    private final Results results;
    private final Machine machine;
    private final List<Row> rows;
    private final List<Row> counts;

    /**
     * Creates an instance.
     *
     * @param results every figure
     * @param machine where they were measured
     * @param rows with several metrics each
     * @param counts with the number of commands only
     */
    public Markdown(Results results, Machine machine, List<Row> rows, List<Row> counts) {
        this.results = results;
        this.machine = machine;
        this.rows = rows;
        this.counts = counts;
    }

    /** Writes {@code results.md} and the charts. */
    public void write(Path directory) throws IOException {
        Files.createDirectories(directory);
        for (Row row : rows) {
            Optional<String> chart = Charts.of(row, results);
            if (chart.isPresent()) {
                Files.writeString(directory.resolve(chartFile(row)), chart.get());
            }
        }
        Files.writeString(directory.resolve("results.md"), text().strip() + "\n");
    }

    public String text() {
        StringBuilder page = new StringBuilder("# Results\n\n");
        machine.lines().forEach(line -> page.append("* ").append(line).append('\n'));
        page.append("\nHow this was measured: [README](README.md). Generated; do not edit.\n\n");
        page.append("## Figures\n\n")
                .append("Median of the rounds, with the minimum and the maximum in brackets if they differ.\n")
                .append("Below a table are its goals, with what was measured; ")
                .append(missed())
                .append(".\n\n");
        rows.forEach(row -> page.append(figures(row)));
        if (!counts.isEmpty()) {
            page.append("## Commands that clients send for each acquisition\n\n")
                    .append(commands());
        }
        return page.toString();
    }

    private String missed() {
        List<Bar.Verdict> verdicts = Stream.concat(rows.stream(), counts.stream())
                .flatMap(this::verdicts)
                .toList();
        long missed = verdicts.stream().filter(verdict -> !verdict.met()).count();
        return missed + " of " + verdicts.size() + " are missed";
    }

    private Stream<Bar.Verdict> verdicts(Row row) {
        return row.bars().stream().flatMap(bar -> bar.judge(row.name(), results).stream());
    }

    private String figures(Row row) {
        List<Metric> metrics = Arrays.stream(Metric.values())
                .filter(metric -> row.peers().stream().anyMatch(peer -> isMeasured(row, peer, metric)))
                .toList();
        StringBuilder section = new StringBuilder("### " + row.title() + "\n\n| | ");
        section.append(metrics.stream().map(Metric::title).collect(Collectors.joining(" | ")));
        section.append(" |\n|---|").append("---:|".repeat(metrics.size())).append('\n');
        for (Peer peer : row.peers()) {
            if (metrics.stream().anyMatch(metric -> isMeasured(row, peer, metric))) {
                section.append("| ").append(peer.title()).append(" |");
                metrics.forEach(metric ->
                        section.append(' ').append(cell(row, peer, metric)).append(" |"));
                section.append('\n');
            }
        }
        section.append('\n');
        if (verdicts(row).findAny().isPresent()) {
            verdicts(row)
                    .forEach(verdict ->
                            section.append("* ").append(text(verdict)).append('\n'));
            section.append('\n');
        }
        if (Charts.of(row, results).isPresent()) {
            section.append("![")
                    .append(row.name())
                    .append("](")
                    .append(chartFile(row))
                    .append(")\n\n");
        }
        return section.toString();
    }

    private static String chartFile(Row row) {
        return row.name() + ".svg";
    }

    private static String text(Bar.Verdict verdict) {
        return verdict.text() + ": " + verdict.measured() + (verdict.met() ? "" : ", **missed**");
    }

    private String commands() {
        List<Peer> peers = Arrays.stream(Peer.values())
                .filter(peer -> counts.stream().anyMatch(row -> isMeasured(row, peer, Metric.COMMANDS)))
                .toList();
        StringBuilder table = new StringBuilder("| |");
        peers.forEach(peer -> table.append(' ').append(peer.title()).append(" |"));
        table.append(" goals |\n|---|").append("---:|".repeat(peers.size())).append("---|\n");
        for (Row row : counts) {
            table.append("| ").append(row.title()).append(" |");
            peers.forEach(peer ->
                    table.append(' ').append(cell(row, peer, Metric.COMMANDS)).append(" |"));
            table.append(' ')
                    .append(verdicts(row)
                            .map(verdict -> text(verdict).replace(Metric.COMMANDS.title() + ' ', ""))
                            .collect(Collectors.joining("; ")))
                    .append(" |\n");
        }
        return table.append('\n').toString();
    }

    private boolean isMeasured(Row row, Peer peer, Metric metric) {
        return results.spread(row.name(), peer, metric).isPresent();
    }

    private String cell(Row row, Peer peer, Metric metric) {
        return results.spread(row.name(), peer, metric)
                .map(spread -> text(metric, spread))
                .orElse("");
    }

    private static String text(Metric metric, Spread spread) {
        String median = metric.text(spread.median());
        String min = metric.text(spread.min());
        String max = metric.text(spread.max());
        if (min.equals(max)) {
            return median;
        }
        String unit = median.substring(median.indexOf(' ') + 1);
        boolean oneUnit = median.contains(" ") && min.endsWith(' ' + unit) && max.endsWith(' ' + unit);
        if (oneUnit) {
            min = min.substring(0, min.indexOf(' '));
            max = max.substring(0, max.indexOf(' '));
        }
        String dash = min.contains(" ") ? " – " : "–";
        return median + " (" + min + dash + max + ')';
    }
}
