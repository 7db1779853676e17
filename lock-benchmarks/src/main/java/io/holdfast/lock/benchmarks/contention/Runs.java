package io.holdfast.lock.benchmarks.contention;

import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.report.Metric;
import io.holdfast.lock.benchmarks.statistics.Jain;
import io.holdfast.lock.benchmarks.statistics.Waits;
import io.holdfast.lock.testing.CountingProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

/** Each method is one run of one peer: it starts the workers, and turns their reports into figures. */
public final class Runs {

    private static final long LEASE_MILLIS = 30_000;
    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

    private Runs() {}

    /** {@return throughput, fairness and waits under that load; in separate JVMs} */
    public static Map<Metric, Double> contend(Peer peer, int redisPort, Load load, Window window) {
        try (Cluster cluster = new Cluster(load.processes())) {
            return figures(contend(cluster, peer, redisPort, load, window, () -> 0));
        }
    }

    /** {@return commands for each acquisition; one cluster may be used for many such runs} */
    public static Map<Metric, Double> countCommands(
            Cluster cluster, Peer peer, int redisPort, Load load, Window window) {
        try (CountingProxy proxy = new CountingProxy(redisPort)) {
            Cluster.Outcome outcome = contend(cluster, peer, proxy.port(), load, window, proxy::total);
            long acquired = LongStream.of(shares(outcome.reports())).sum();
            return Map.of(Metric.COMMANDS, (double) outcome.counted() / Math.max(1, acquired));
        }
    }

    /** {@return the commands sent beyond two for each lock and unlock, the cost without contention} */
    public static Map<Metric, Double> countRenewals(Peer peer, int redisPort, Load load, Window window) {
        try (Cluster cluster = new Cluster(1);
                CountingProxy proxy = new CountingProxy(redisPort)) {
            Cluster.Outcome outcome = contend(cluster, peer, proxy.port(), load, window, proxy::total);
            long acquired = LongStream.of(shares(outcome.reports())).sum();
            double more = Math.max(0, outcome.counted() - 2 * acquired);
            return Map.of(Metric.RENEWAL_RATE, more / seconds(outcome.reports().get(0)));
        }
    }

    /** {@return the times from unlock to lock between two clients in one JVM} */
    public static Map<Metric, Double> handOver(Peer peer, int redisPort, Turns turns) {
        Message order = Cluster.order(Worker.HAND_OVER, peer, redisPort, LEASE_MILLIS)
                .with("warmUpTurns", turns.warmUp())
                .with("warmUpMillis", turns.warmUpMillis())
                .with("turns", turns.measured());
        try (Cluster cluster = new Cluster(1)) {
            Message report = cluster.run(order, () -> 0).reports().get(0);
            Waits times = Waits.parse(report.text("waits"));
            return Map.of(Metric.HAND_OVER, times.percentile(50), Metric.HAND_OVER_P99, times.percentile(99));
        }
    }

    /** {@return the cost of holding this many locks} */
    public static Map<Metric, Double> holdMany(
            Peer peer, int redisPort, int locks, long leaseMillis, long windowMillis) {
        try (Cluster cluster = new Cluster(1);
                CountingProxy proxy = new CountingProxy(redisPort)) {
            Message order = Cluster.order(Worker.HOLD_MANY, peer, proxy.port(), leaseMillis)
                    .with("locks", locks)
                    .with("windowMillis", windowMillis);
            Cluster.Outcome outcome = cluster.run(order, proxy::total);
            Message report = outcome.reports().get(0);
            checkLost(peer, report.number("lost"));
            return Map.of(
                    Metric.COMMAND_RATE,
                    outcome.counted() / seconds(report),
                    Metric.CPU,
                    100.0 * report.number("cpuNanos") / report.number("windowNanos"),
                    Metric.LOST,
                    (double) report.number("lost"),
                    Metric.THREADS_ADDED,
                    (double) report.number("threadsAdded"));
        }
    }

    private static Cluster.Outcome contend(
            Cluster cluster, Peer peer, int port, Load load, Window window, LongSupplier count) {
        Path file = newCounter();
        try {
            Message order = Cluster.order(Worker.CONTEND, peer, port, LEASE_MILLIS)
                    .with("clients", load.clients())
                    .with("threads", load.threads())
                    .with("holdMicros", load.holdMicros())
                    .with("pauseMicros", load.pauseMicros())
                    .with("apartMillis", window.apartMillis())
                    .with("warmUpMillis", window.warmUpMillis())
                    .with("windowMillis", window.millis())
                    .with("counter", file);
            Cluster.Outcome outcome = cluster.run(order, count);
            checkExclusion(peer, outcome.reports(), new SharedCounter(file).get());
            return outcome;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            delete(file);
        }
    }

    static void checkExclusion(Peer peer, List<Message> reports, long counter) {
        long acquired =
                reports.stream().mapToLong(report -> report.number("acquired")).sum();
        if (counter != acquired) {
            throw new IllegalStateException(peer.title() + " had two holders at the same time: " + acquired
                    + " critical sections counted to " + counter);
        }
    }

    static void checkLost(Peer peer, long lost) {
        if (lost != 0) {
            throw new IllegalStateException(peer.title() + " has lost " + lost + " locks that it should have kept");
        }
    }

    private static Map<Metric, Double> figures(Cluster.Outcome outcome) {
        Waits waits = new Waits();
        outcome.reports().forEach(report -> waits.add(Waits.parse(report.text("waits"))));
        double rate = outcome.reports().stream()
                .mapToDouble(report -> LongStream.of(shares(List.of(report))).sum() / seconds(report))
                .sum();
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.PAIRS, rate);
        figures.put(Metric.JAIN, Jain.index(shares(outcome.reports())));
        figures.put(Metric.WAIT_P50, waits.percentile(50));
        figures.put(Metric.WAIT_P99, waits.percentile(99));
        figures.put(Metric.WAIT_LONGEST, waits.longest());
        return figures;
    }

    private static long[] shares(List<Message> reports) {
        return reports.stream()
                .flatMap(report -> Arrays.stream(report.text("shares").split(",")))
                .mapToLong(Long::parseLong)
                .toArray();
    }

    private static double seconds(Message report) {
        return report.number("windowNanos") / SECOND;
    }

    private static Path newCounter() {
        try {
            return Files.createTempFile("holdfast-counter", ".bin");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
