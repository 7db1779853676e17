package io.holdfast.lock.benchmarks.uncontended;

import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.peer.Servers;
import io.holdfast.lock.benchmarks.report.Metric;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.CompilerProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * One benchmark, a fork for each run. With many threads, pairs are timed, for their distribution; with few, they are only counted, since
 * reading the clock takes longer than a reentrant pair.
 *
 * @param benchmark a method of {@link PairBenchmark}
 * @param threads how many there are
 * @param placement where they run
 */
public record JmhRun(String benchmark, int threads, Placement placement) {

    private static final int FEW = 8;
    private static final String COMPILER_MILLIS = "compiler.time.profiled";

    /**
     * {@return pairs per second of all threads together, how busy the compiler still was in the window, and, with more than
     * {@value #FEW} threads, the 99th percentile of a pair}
     *
     * @param peer what is measured
     * @param servers where Redis is
     * @param warmUpMillis how long to warm up before the window
     * @param windowMillis how long to measure
     */
    public Map<Metric, Double> figures(Peer peer, Servers servers, long warmUpMillis, long windowMillis) {
        try (Placed placed = new Placed(servers, placement)) {
            Options options = new OptionsBuilder()
                    .include("\\Q" + PairBenchmark.class.getName() + '.' + benchmark + "\\E$")
                    .param("peer", peer.name())
                    .param("servers", servers.toString())
                    .param("cores", placed.clientCores())
                    .threads(threads)
                    .forks(1)
                    .jvmArgs("-Xmx256m")
                    .warmupIterations(1)
                    .warmupTime(TimeValue.milliseconds(warmUpMillis))
                    .measurementIterations(1)
                    .measurementTime(TimeValue.milliseconds(windowMillis))
                    .shouldFailOnError(true)
                    .mode(isTimed() ? Mode.SampleTime : Mode.Throughput)
                    .addProfiler(CompilerProfiler.class)
                    .verbosity(VerboseMode.SILENT)
                    .build();
            RunResult result = new Runner(options).runSingle();
            Map<Metric, Double> figures = new EnumMap<>(Metric.class);
            figures.put(Metric.COMPILER, 100.0 * compilerMillis(result) / windowMillis);
            figures.putAll(isTimed() ? ofTimes(result) : Map.of(Metric.PAIRS, score(result)));
            return figures;
        } catch (RunnerException e) {
            throw new IllegalStateException("JMH failed for " + peer, e);
        }
    }

    private boolean isTimed() {
        return threads > FEW;
    }

    private static double score(RunResult result) {
        return result.getPrimaryResult().getScore();
    }

    /** Each thread does nothing but pairs, so the mean time of one gives their rate. */
    private Map<Metric, Double> ofTimes(RunResult result) {
        double p99 = result.getPrimaryResult().getStatistics().getPercentile(99);
        return Map.of(Metric.PAIRS, threads / score(result), Metric.PAIR_P99, p99 * TimeUnit.SECONDS.toNanos(1));
    }

    private static double compilerMillis(RunResult result) {
        return result.getSecondaryResults().entrySet().stream()
                .filter(each -> each.getKey().endsWith(COMPILER_MILLIS))
                .mapToDouble(each -> each.getValue().getScore())
                .findFirst()
                .orElseThrow();
    }
}
