package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.RemoteLock;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests may be changed before they are used. */
class RequestRuleTest extends EngineFixture {

    private final LockEngine ruled = LockEngine.builder(store)
            .ticker(time)
            .pause(pause)
            .requests(request -> request.lease(Duration.ofSeconds(7)))
            .requests(request -> request.lease(request.lease().orElseThrow().plusSeconds(1)))
            .build();

    @AfterEach
    void end() {
        ruled.close();
    }

    @Test
    void rules_change_a_request_one_after_the_other() {
        try (LockHandle handle = ruled.acquire(LockRequest.of(KEY).lease(Duration.ofMinutes(1)))) {
            assertThat(handle.remaining()).isEqualTo(Duration.ofSeconds(8));
        }
    }

    @Test
    void rule_that_changes_keys_is_refused_for_requests_and_views() {
        try (LockEngine mapping = LockEngine.builder(store)
                .requests(request -> request.mapKeys(key -> "tenant/" + key))
                .build()) {
            assertThatThrownBy(() -> mapping.acquire(KEY))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll(KEY, "tenant/" + KEY);
            assertThatThrownBy(() -> mapping.getLock(KEY)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void rules_change_what_lock_views_ask_for() {
        RemoteLock lock = ruled.getLock(KEY);
        lock.lock();
        try {
            assertThat(lock.remaining()).isEqualTo(Duration.ofSeconds(8));
        } finally {
            lock.unlock();
        }
    }
}
