package io.holdfast.lock.benchmarks.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.api.Test;

class WaitsTest {

    private static Waits upTo(int last) {
        Waits waits = new Waits();
        for (int i = 1; i <= last; i++) {
            waits.record(i * 1000L);
        }
        return waits;
    }

    @Test
    void percentiles_are_right_to_one_percent() {
        assertThat(upTo(1000).percentile(50)).isCloseTo(500_000, withinPercentage(1));
        assertThat(upTo(1000).percentile(99)).isCloseTo(990_000, withinPercentage(1));
    }

    @Test
    void longest_is_right_to_one_percent() {
        assertThat(upTo(1000).longest()).isCloseTo(1_000_000, withinPercentage(1));
        assertThat(new Waits().longest()).isZero();
    }

    @Test
    void survive_the_way_between_processes() {
        Waits parsed = Waits.parse(upTo(1000).text());

        assertThat(parsed.count()).isEqualTo(1000);
        assertThat(parsed.percentile(99)).isEqualTo(upTo(1000).percentile(99));
    }

    @Test
    void of_several_threads_are_added() {
        Waits sum = upTo(100);
        sum.add(upTo(300));

        assertThat(sum.count()).isEqualTo(400);
    }
}
