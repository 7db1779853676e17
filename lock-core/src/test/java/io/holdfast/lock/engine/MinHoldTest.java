package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A lock that is kept for a minimum time. */
class MinHoldTest extends EngineFixture {

    @Test
    void minimum_hold_keeps_others_out_after_a_short_run() {
        locks.execute(LockRequest.of(KEY).minHold(Duration.ofSeconds(10)), () -> time.pass(Duration.ofSeconds(1)));

        assertThat(locks.tryAcquire(KEY)).isEmpty();
        time.pass(Duration.ofSeconds(9).plusMillis(1));
        assertThat(locks.tryAcquire(KEY)).isPresent();
    }

    @Test
    void minimum_hold_makes_the_lease_at_least_as_long() {
        LockHandle handle =
                locks.acquire(LockRequest.of(KEY).lease(Duration.ofSeconds(1)).minHold(Duration.ofMinutes(2)));

        assertThat(handle.remaining()).isEqualTo(Duration.ofMinutes(2));
    }
}
