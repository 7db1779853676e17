package io.holdfast.lock.benchmarks.uncontended;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.peer.Servers;
import io.holdfast.lock.benchmarks.report.Metric;
import io.holdfast.lock.testing.TestRedis;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JmhRunTest {

    private static Map<Metric, Double> figures(String benchmark, int threads) {
        return new JmhRun(benchmark, threads, Placement.ANYWHERE)
                .figures(Peer.HOLDFAST, Servers.of(TestRedis.shared().port()), 50, 500);
    }

    @Test
    void many_threads_have_a_rate_and_a_percentile() {
        Map<Metric, Double> figures = figures("pair", 16);

        assertThat(figures).containsOnlyKeys(Metric.PAIRS, Metric.PAIR_P99, Metric.COMPILER);
        assertThat(figures.get(Metric.PAIRS)).isPositive();
        assertThat(figures.get(Metric.PAIR_P99)).isGreaterThan(10_000); // two round trips take more than 10 µs
        assertThat(figures.get(Metric.COMPILER)).isPositive();
    }

    @Test
    void few_threads_are_not_timed() {
        assertThat(figures("reentrantPair", 1)).containsOnlyKeys(Metric.PAIRS, Metric.COMPILER);
    }
}
