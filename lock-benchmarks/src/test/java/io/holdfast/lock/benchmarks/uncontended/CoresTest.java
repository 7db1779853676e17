package io.holdfast.lock.benchmarks.uncontended;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CoresTest {

    @Test
    void lists_of_cores_may_have_ranges() {
        assertThat(Cores.parse("0-2,5")).containsExactly(0, 1, 2, 5);
        assertThat(Cores.text(Cores.parse("0,7-8"))).isEqualTo("0,7,8");
    }
}
