package io.holdfast.lock.benchmarks.report;

import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.statistics.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One chart for each row that compares peers: the first metric that they have in common. */
final class Charts {

    private Charts() {}

    static Optional<String> of(Row row, Results results) {
        for (Metric metric : Metric.values()) {
            List<BarChart.Bar> bars = bars(row, metric, results);
            if (bars.size() > 1) {
                String note = metric.title() + (metric.moreIsBetter() ? ", more is better" : ", less is better");
                return Optional.of(new BarChart(row.title(), note, bars).svg());
            }
        }
        return Optional.empty();
    }

    private static List<BarChart.Bar> bars(Row row, Metric metric, Results results) {
        List<BarChart.Bar> bars = new ArrayList<>();
        for (Peer peer : row.peers()) {
            Optional<Spread> spread = results.spread(row.name(), peer, metric);
            spread.ifPresent(value -> bars.add(new BarChart.Bar(
                    peer.title(),
                    metric.text(value.median()),
                    value,
                    peer.title().startsWith("Holdfast"))));
        }
        return bars;
    }
}
