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
                .contains("| Holdfast | 2,000 (1,000 – 3,000) |\n")
                .contains("| one key, 1 < 2 | pairs/s ≥ 3 × Redisson | 2 | **missed** |\n");
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
