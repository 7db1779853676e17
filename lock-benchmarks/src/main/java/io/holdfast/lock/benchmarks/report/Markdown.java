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

/** The page: what was expected, every figure, and charts. */
public final class Markdown {

    private final Results results;
    private final Machine machine;
    private final List<Row> rows;
    private final List<Row> counts;

    /**
     * Creates an instance.
     *
     * @param results every figure
     * @param machine where they come from
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
        StringBuilder images = new StringBuilder();
        for (Row row : rows) {
            Optional<String> chart = Charts.of(row, results);
            if (chart.isPresent()) {
                String file = row.name() + ".svg";
                Files.writeString(directory.resolve(file), chart.get());
                images.append("![")
                        .append(row.title())
                        .append("](")
                        .append(file)
                        .append(")\n\n");
            }
        }
        String charts = images.isEmpty() ? "" : "## Charts\n\n" + images;
        Files.writeString(directory.resolve("results.md"), (text() + charts).strip() + "\n");
    }

    public String text() {
        StringBuilder page = new StringBuilder("# Results\n\n");
        machine.lines().forEach(line -> page.append("* ").append(line).append('\n'));
        page.append("\nHow this was measured: [README](README.md). Generated; do not edit.\n\n");
        page.append("## Bars\n\n").append(bars());
        page.append("## Figures\n\nMedian of the rounds, and in brackets the least and the most.\n\n");
        rows.forEach(row -> page.append(figures(row)));
        if (!counts.isEmpty()) {
            page.append("## Commands that clients send for each acquisition\n\n")
                    .append(commands());
        }
        return page.toString();
    }

    private String bars() {
        StringBuilder table = new StringBuilder("| work | bar | measured | |\n|---|---|---:|---|\n");
        for (Row row : rows) {
            bars(row, table);
        }
        for (Row row : counts) {
            bars(row, table);
        }
        return table.append('\n').toString();
    }

    private void bars(Row row, StringBuilder table) {
        for (Bar bar : row.bars()) {
            bar.judge(row.name(), results)
                    .ifPresent(verdict -> table.append(line(List.of(
                            row.title(), verdict.text(), verdict.measured(), verdict.met() ? "met" : "**missed**"))));
        }
    }

    private String figures(Row row) {
        List<Metric> metrics = Arrays.stream(Metric.values())
                .filter(metric -> row.peers().stream().anyMatch(peer -> isMeasured(row, peer, metric)))
                .toList();
        StringBuilder table = new StringBuilder("### " + row.title() + "\n\n");
        table.append("| |")
                .append(metrics.stream().map(metric -> metric.title() + " |").collect(Collectors.joining()));
        table.append("\n|---|").append("---:|".repeat(metrics.size())).append('\n');
        for (Peer peer : row.peers()) {
            if (metrics.stream().anyMatch(metric -> isMeasured(row, peer, metric))) {
                table.append("| ").append(peer.title()).append(" |");
                metrics.forEach(metric ->
                        table.append(' ').append(cell(row, peer, metric)).append(" |"));
                table.append('\n');
            }
        }
        return table.append('\n').toString();
    }

    private String commands() {
        List<Peer> peers = Arrays.stream(Peer.values())
                .filter(peer -> counts.stream().anyMatch(row -> isMeasured(row, peer, Metric.COMMANDS)))
                .toList();
        StringBuilder table = new StringBuilder("| |");
        peers.forEach(peer -> table.append(' ').append(peer.title()).append(" |"));
        table.append("\n|---|").append("---:|".repeat(peers.size())).append('\n');
        for (Row row : counts) {
            table.append("| ").append(row.title()).append(" |");
            peers.forEach(peer ->
                    table.append(' ').append(cell(row, peer, Metric.COMMANDS)).append(" |"));
            table.append('\n');
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
        return spread.rounds() == 1
                ? median
                : median + " (" + metric.text(spread.min()) + " – " + metric.text(spread.max()) + ')';
    }

    private static String line(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }
}
