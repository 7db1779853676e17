package io.holdfast.lock.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.benchmarks.peer.Peer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MarkdownTest {

    private final Results results = new Results();
    private final Row row = new Row(
            "work",
            "one key, 1 < 2",
            List.of(Peer.HOLDFAST, Peer.REDISSON),
            List.of(Bar.atLeast(Peer.HOLDFAST, Metric.PAIRS, 3).times(Peer.REDISSON)));
    private final Markdown markdown = new Markdown(results, new Machine(List.of("Two cores")), List.of(row), List.of());

    private void measure() {
        for (double figure : new double[] {1000, 3000, 2000}) {
            results.add("work", Peer.HOLDFAST, Map.of(Metric.PAIRS, figure));
        }
        results.add("work", Peer.REDISSON, Map.of(Metric.PAIRS, 1000.0));
    }

    @Test
    void median_spread_and_missed_bars_are_shown() {
        measure();

        assertThat(markdown.text())
                .contains("* Two cores\n")
                .contains("1 of 1 are missed")
                .contains("| | pairs/s |\n|---|---:|\n| Holdfast | 2,000 (1,000–3,000) |\n| Redisson | 1,000 |\n\n")
                .contains("* pairs/s ≥ 3 × Redisson: 2, **missed**\n\n![work](work.svg)\n");
    }

    @Test
    void unit_of_the_median_is_not_repeated() {
        for (double millis : new double[] {90, 92, 97}) {
            results.add("work", Peer.HOLDFAST, Map.of(Metric.WAIT_P50, millis * 1e6));
            results.add("work", Peer.REDISSON, Map.of(Metric.WAIT_P50, millis * 1e4));
        }

        assertThat(markdown.text())
                .contains("| Holdfast | 92 ms (90–97) |\n")
                .contains("| Redisson | 920 µs (900–970) |\n");

        results.add("work", Peer.REDISSON, Map.of(Metric.WAIT_P50, 1.2e6));

        assertThat(markdown.text()).contains("| Redisson | 945 µs (900 µs – 1.2 ms) |\n");
    }

    @Test
    void latency_of_a_pair_stands_beside_the_rate() {
        for (double micros : new double[] {900, 700, 800}) {
            results.add("work", Peer.HOLDFAST, Map.of(Metric.PAIRS, 1000.0, Metric.PAIR_P99, micros * 1e3));
        }

        assertThat(markdown.text())
                .contains("| | pairs/s | p99 of a pair |\n|---|---:|---:|\n| Holdfast | 1,000 | 800 µs (700–900) |\n");
    }

    @Test
    void how_long_was_measured_is_listed_below_the_machine() {
        Machine machine = new Machine(List.of("Two cores")).with(List.of("Rounds: 5"));

        assertThat(new Markdown(results, machine, List.of(), List.of()).text()).contains("* Two cores\n* Rounds: 5\n");
    }

    @Test
    void goals_for_commands_stand_in_their_row() {
        Row counted = new Row(
                "commands",
                "2 clients",
                List.of(Peer.HOLDFAST),
                List.of(Bar.atMost(Peer.HOLDFAST, Metric.COMMANDS, 3.5)));
        results.add("commands", Peer.HOLDFAST, Map.of(Metric.COMMANDS, 4.0));

        assertThat(new Markdown(results, new Machine(List.of()), List.of(), List.of(counted)).text())
                .contains("| | Holdfast | goals |\n|---|---:|---|\n| 2 clients | 4.00 | ≤ 3.50: 4.00, **missed** |\n");
    }

    @Test
    void charts_are_well_formed(@TempDir Path directory) throws Exception {
        measure();

        markdown.write(directory);

        assertThat(Files.readString(directory.resolve("results.md"))).contains("](work.svg)");
        parse(directory.resolve("work.svg"));
    }

    private static void parse(Path svg) throws Exception {
        DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(svg.toFile());
    }

    @Test
    void without_figures_there_is_no_chart(@TempDir Path directory) throws IOException {
        markdown.write(directory);

        try (var files = Files.list(directory)) {
            assertThat(files).containsExactly(directory.resolve("results.md"));
        }
    }
}
