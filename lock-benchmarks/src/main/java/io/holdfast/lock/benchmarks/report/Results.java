package io.holdfast.lock.benchmarks.report;

import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.statistics.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Every figure of every round. */
public final class Results {

    private record Cell(String row, Peer peer, Metric metric) {}

    private final Map<Cell, List<Double>> values = new LinkedHashMap<>();

    public synchronized void add(String row, Peer peer, Map<Metric, Double> figures) {
        figures.forEach((metric, value) -> values.computeIfAbsent(new Cell(row, peer, metric), any -> new ArrayList<>())
                .add(value));
    }

    public synchronized Optional<Spread> spread(String row, Peer peer, Metric metric) {
        return Optional.ofNullable(values.get(new Cell(row, peer, metric))).map(Spread::of);
    }

    public Optional<Double> median(String row, Peer peer, Metric metric) {
        return spread(row, peer, metric).map(Spread::median);
    }
}
