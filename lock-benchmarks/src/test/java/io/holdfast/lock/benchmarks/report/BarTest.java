package io.holdfast.lock.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.benchmarks.peer.Peer;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BarTest {

    private final Results results = new Results();

    private void measured(Peer peer, Metric metric, double... rounds) {
        for (double value : rounds) {
            results.add("row", peer, Map.of(metric, value));
        }
    }

    @Test
    void ratio_of_medians_is_compared() {
        measured(Peer.HOLDFAST, Metric.PAIRS, 90, 1000, 95);
        measured(Peer.FLOOR, Metric.PAIRS, 100, 100, 1);

        Bar bar = Bar.atLeast(Peer.HOLDFAST, Metric.PAIRS, 0.95).times(Peer.FLOOR);

        assertThat(bar.judge("row", results)).contains(new Bar.Verdict("pairs/s ≥ 0.95 × bare Jedis", "0.95", true));
    }

    @Test
    void a_miss_is_told() {
        measured(Peer.HOLDFAST, Metric.WAIT_P99, 200);
        measured(Peer.REDISSON, Metric.WAIT_P99, 1000);

        Bar bar = Bar.atMost(Peer.HOLDFAST, Metric.WAIT_P99, 1.0 / 8).times(Peer.REDISSON);

        assertThat(bar.judge("row", results)).hasValueSatisfying(verdict -> {
            assertThat(verdict.met()).isFalse();
            assertThat(verdict.text()).isEqualTo("p99 wait ≤ 0.125 × Redisson");
        });
    }

    @Test
    void a_limit_needs_no_other_peer() {
        measured(Peer.HOLDFAST, Metric.JAIN, 0.99);

        assertThat(Bar.atLeast(Peer.HOLDFAST, Metric.JAIN, 0.98).judge("row", results))
                .contains(new Bar.Verdict("Jain index ≥ 0.9800", "0.9900", true));
    }

    @Test
    void another_row_may_be_the_measure() {
        results.add("few", Peer.HOLDFAST, Map.of(Metric.COMMANDS, 3.0));
        results.add("many", Peer.HOLDFAST, Map.of(Metric.COMMANDS, 6.0));

        Bar bar = Bar.atMost(Peer.HOLDFAST, Metric.COMMANDS, 1.15).timesRow("few", "with few");

        assertThat(bar.judge("many", results))
                .contains(new Bar.Verdict("commands per acquisition ≤ 1.15 × with few", "2", false));
    }

    @Test
    void what_was_not_measured_is_not_judged() {
        measured(Peer.HOLDFAST, Metric.PAIRS, 1);

        assertThat(Bar.atLeast(Peer.HOLDFAST, Metric.PAIRS, 1).times(Peer.FLOOR).judge("row", results))
                .isEmpty();
    }
}
