package io.holdfast.lock.leader;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BackoffTest {

    @Test
    void rests_double_up_to_the_longest() {
        Backoff backoff = new Backoff(() -> 0);
        assertThat(backoff.isRepeated()).isFalse();
        assertThat(backoff.next()).isEqualTo(Duration.ofMillis(100));
        assertThat(backoff.isRepeated()).isTrue();
        assertThat(backoff.next()).isEqualTo(Duration.ofMillis(200));
        for (int i = 0; i < 4; i++) {
            backoff.next();
        }
        assertThat(backoff.next()).isEqualTo(Backoff.LONGEST);
        assertThat(backoff.next()).isEqualTo(Backoff.LONGEST);
        backoff.reset();
        assertThat(backoff.next()).isEqualTo(Backoff.FIRST);
    }

    @Test
    void rest_is_up_to_a_half_shorter_at_random() {
        assertThat(new Backoff(() -> 1).next()).isEqualTo(Duration.ofMillis(50));
        assertThat(new Backoff(() -> 0.5).next()).isEqualTo(Duration.ofMillis(75));
    }
}
