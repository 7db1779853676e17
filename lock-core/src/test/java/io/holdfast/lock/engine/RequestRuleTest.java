package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.RemoteLock;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
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

    /** A default that no acquisition takes over would be a surprise: a job that should have had its minimum hold runs twice. */
    @Test
    void defaults_are_options_that_have_one_of_a_request_that_was_given() {
        List.<UnaryOperator<LockRequest>>of(
                        given -> LockRequest.of(KEY).lease(Duration.ofSeconds(7)),
                        given -> LockRequest.of(given.key())
                                .lease(Duration.ofSeconds(7))
                                .renew(true)
                                .warnAfter(Duration.ofSeconds(9))
                                .outageTolerance(Duration.ZERO), // no waitFor
                        given -> given.minHold(Duration.ofSeconds(7)),
                        given -> given.fair(true),
                        given -> given.shared(2))
                .forEach(defaults -> assertThatThrownBy(
                                () -> LockEngine.builder(store).defaults(defaults))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("Change only the lease"));
        try (LockEngine engine = LockEngine.builder(store)
                        .ticker(time)
                        .defaults(given -> given.lease(Duration.ofSeconds(7)))
                        .defaults(given -> given.waitFor(Duration.ZERO)
                                .renew(false)
                                .maxHold(Duration.ofSeconds(9))
                                .warnAfter(Duration.ofSeconds(8))
                                .outageTolerance(Duration.ZERO))
                        .build();
                LockHandle handle = engine.acquire(KEY)) {
            assertThat(handle.remaining()).isEqualTo(Duration.ofSeconds(7));
        }
    }

    @Test
    void engine_does_not_change_when_its_builder_does() {
        LockEngineBuilder builder = LockEngine.builder(store)
                .ticker(time)
                .defaults(request -> request.lease(Duration.ofSeconds(7)))
                .listener(events::add);
        try (LockEngine first = builder.build()) {
            builder.defaults(request -> request.lease(Duration.ofSeconds(9)))
                    .requests(request -> request.lease(Duration.ofSeconds(9)))
                    .maskKeys(true)
                    .listener(events::add)
                    .build()
                    .close();
            try (LockHandle handle = first.acquire(KEY)) {
                assertThat(handle.remaining()).isEqualTo(Duration.ofSeconds(7));
                assertThat(handle.key().isMasked()).isFalse();
            }
        }
        assertThat(events).filteredOn(LockEvent.Acquired.class::isInstance).hasSize(1);
    }
}
