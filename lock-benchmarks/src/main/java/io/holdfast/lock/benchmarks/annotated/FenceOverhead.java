package io.holdfast.lock.benchmarks.annotated;

import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Compares a transaction of one update under a lock with the same transaction with the fence, which begins with another update: in H2, in
 * the same process, and in PostgreSQL, which writes each commit to its disk.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class FenceOverhead {

    static final int IDS = 1_000;

    private int calls;

    @Benchmark
    public int transaction(FencedApplication application) {
        return application.stock().reserve(calls++ % IDS);
    }

    /**
     * Measures, and writes a table to standard output.
     *
     * @param args quick, for a first look; anything else for three forks
     */
    public static void main(String[] args) throws RunnerException {
        boolean quick = args.length > 0 && args[0].equals("quick");
        Options options = AnnotationOverhead.options(FenceOverhead.class, quick)
                .measurementIterations(5)
                .warmupTime(TimeValue.seconds(2))
                .measurementTime(TimeValue.seconds(2))
                .build();
        System.out.print(table(new Runner(options).run()));
    }

    private static String table(Collection<RunResult> results) {
        Map<String, Double> times = new TreeMap<>();
        for (RunResult each : results) {
            times.put(
                    each.getParams().getParam("database")
                            + ' '
                            + each.getParams().getParam("fenced"),
                    each.getPrimaryResult().getScore());
        }
        StringBuilder table =
                new StringBuilder("| | µs without the fence | µs with it | ratio |\n|---|---:|---:|---:|\n");
        for (FencedApplication.Database database : FencedApplication.Database.values()) {
            double without = Objects.requireNonNull(times.get(database + " false"));
            double with = Objects.requireNonNull(times.get(database + " true"));
            table.append(String.format(
                    Locale.ROOT, "| %s | %.0f | %.0f | %.2f |%n", database, without, with, with / without));
        }
        return table.toString();
    }
}
