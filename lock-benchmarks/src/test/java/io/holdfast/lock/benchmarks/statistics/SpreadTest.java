package io.holdfast.lock.benchmarks.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {

    @Test
    void median_of_three_is_the_middle_one() {
        assertThat(Spread.of(List.of(30.0, 10.0, 11.0))).isEqualTo(new Spread(11, 10, 30, 3));
    }

    @Test
    void median_of_two_is_their_mean() {
        assertThat(Spread.of(List.of(4.0, 2.0)).median()).isEqualTo(3);
    }

    @Test
    void nothing_has_no_spread() {
        assertThatThrownBy(() -> Spread.of(List.of())).isInstanceOf(IllegalArgumentException.class);
    }
}
