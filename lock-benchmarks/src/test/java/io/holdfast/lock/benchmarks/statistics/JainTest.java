package io.holdfast.lock.benchmarks.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class JainTest {

    @Test
    void equal_shares_are_one() {
        assertThat(Jain.index(7, 7, 7, 7)).isEqualTo(1);
    }

    @Test
    void one_of_four_that_got_all_is_a_quarter() {
        assertThat(Jain.index(0, 100, 0, 0)).isEqualTo(0.25);
    }

    @Test
    void shares_of_one_and_three_are_four_fifths() {
        assertThat(Jain.index(1, 3)).isCloseTo(0.8, within(1e-12));
    }

    @Test
    void nobody_got_anything_is_zero() {
        assertThat(Jain.index(0, 0)).isZero();
    }
}
