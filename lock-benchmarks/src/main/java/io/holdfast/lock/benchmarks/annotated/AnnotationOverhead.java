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
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Compares a call to an annotated method with the same work through the template, with one argument and with eight: the cost of
 * the proxy, the key expression and the interceptor, and whether more arguments cost more. Both are measured with the starter
 * alone, and with the meters and observations that come with Actuator.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AnnotationOverhead {

    private static final String TEXT = "text";
    private static final long ID_MASK = 1023;
    private static final String ALLOCATED = "gc.alloc.rate.norm";

    private long calls;

    private long nextId() {
        return (calls++ & ID_MASK) + 1;
    }

    @Benchmark
    public long template1(Application application) {
        long id = nextId();
        return application.template().execute("order:" + id, () -> Orders.work(id));
    }

    @Benchmark
    public long template8(Application application) {
        long id = nextId();
        return application
                .template()
                .execute("order:" + id, () -> Orders.workInFull(id, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT));
    }

    @Benchmark
    public long annotated1(Application application) {
        return application.orders().pay(nextId());
    }

    @Benchmark
    public long annotated8(Application application) {
        return application.orders().payInFull(nextId(), TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT);
    }

    @Benchmark
    public long annotatedInPartsWithCondition(Application application) {
        return application.orders().payAt(TEXT, nextId());
    }

    /**
     * Measures, and writes a table to standard output.
     *
     * @param args quick, for a first look; anything else for three forks
     */
    public static void main(String[] args) throws RunnerException {
        boolean quick = args.length > 0 && args[0].equals("quick");
        Options options = options(AnnotationOverhead.class, quick)
                .addProfiler(GCProfiler.class)
                .measurementIterations(quick ? 2 : 5)
                .warmupTime(TimeValue.seconds(1))
                .measurementTime(TimeValue.seconds(1))
                .build();
        System.out.print(table(new Runner(options).run()));
    }

    /** What the benchmarks of this package have in common. */
    static ChainedOptionsBuilder options(Class<?> benchmark, boolean quick) {
        return new OptionsBuilder()
                .include("\\Q" + benchmark.getName() + "\\E\\..*")
                .forks(quick ? 1 : 3)
                .jvmArgs("-Xmx256m")
                .warmupIterations(quick ? 2 : 5)
                .shouldFailOnError(true);
    }

    private static String table(Collection<RunResult> results) {
        Map<String, String> lines = new TreeMap<>();
        for (RunResult each : results) {
            String name = each.getPrimaryResult().getLabel() + " | "
                    + each.getParams().getParam("beside").toLowerCase(Locale.ROOT);
            lines.put(
                    name,
                    String.format(
                            Locale.ROOT,
                            "| %s | %,.0f ± %,.0f | %,.0f |%n",
                            name,
                            each.getPrimaryResult().getScore(),
                            each.getPrimaryResult().getScoreError(),
                            Objects.requireNonNull(each.getSecondaryResults().get(ALLOCATED))
                                    .getScore()));
        }
        return "| | besides the starter | ns per call | bytes per call |\n|---|---|---:|---:|\n"
                + String.join("", lines.values());
    }
}
