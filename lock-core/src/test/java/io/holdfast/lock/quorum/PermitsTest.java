package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.FakeTicker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PermitsTest {

    private final FakeTicker time = new FakeTicker();
    private final Permits permits = new Permits(time);

    @Test
    void permits_that_are_not_renewed_any_more_are_forgotten() {
        for (int i = 0; i < 10_000; i++) {
            permits.granted(new OwnerId("client", i), 3, 1000);
            time.pass(Duration.ofMillis(100));
        }

        assertThat(permits.size()).isLessThan(200);
    }

    @Test
    void permit_that_is_renewed_is_kept() {
        OwnerId owner = new OwnerId("client", -1);
        permits.granted(owner, 3, 1000);
        for (int i = 0; i < 1000; i++) {
            permits.granted(new OwnerId("client", i), 3, 1000);
            permits.renewed(owner, 1000);
            time.pass(Duration.ofMillis(100));
        }

        assertThat(permits.needed(owner, 2)).isEqualTo(3);
    }

    @Test
    void extension_that_is_shorter_than_the_lease_shortens_nothing() {
        OwnerId owner = new OwnerId("client", -1);
        permits.granted(owner, 3, 30_000);
        permits.renewed(owner, 100);
        time.pass(Duration.ofSeconds(20));
        for (int i = 0; i < 1000; i++) {
            permits.granted(new OwnerId("client", i), 3, 1000);
        }

        assertThat(permits.needed(owner, 2)).isEqualTo(3);
    }
}
