package io.holdfast.lock.benchmarks.uncontended;

import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.peer.Servers;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * One benchmark, a fork for each run.
 *
 * @param benchmark a method of {@link PairBenchmark}
 * @param threads how many there are
 * @param placement where they run
 */
public record JmhRun(String benchmark, int threads, Placement placement) {

    /**
     * {@return pairs per second, of all threads together}
     *
     * @param peer what is measured
     * @param servers where Redis is
     * @param warmUpMillis how long to warm up before the window
     * @param windowMillis how long to measure
     */
    public double pairsPerSecond(Peer peer, Servers servers, long warmUpMillis, long windowMillis) {
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
                    .verbosity(VerboseMode.SILENT)
                    .build();
            return new Runner(options).runSingle().getPrimaryResult().getScore();
        } catch (RunnerException e) {
            throw new IllegalStateException("JMH failed for " + peer, e);
        }
    }
}
