package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LossCause;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A resource is asked about the tokens of the locks that a thread holds alone. */
class EnsureLatestTest extends ThreadsFixture {

    private final List<LockEvent> events = new CopyOnWriteArrayList<>();

    @Override
    LockListener listener() {
        return events::add;
    }

    private Map<String, Long> asked() {
        Map<String, Long> asked = new LinkedHashMap<>();
        locks.ensureLatest((key, token) -> {
            asked.put(key.value(), token);
            return true;
        });
        return asked;
    }

    @Test
    void each_exclusive_lock_is_asked_about_in_the_order_of_keys() {
        try (LockHandle c = locks.acquire("c");
                LockHandle ab = locks.acquire(LockRequest.ofAll(List.of("b", "a")));
                LockHandle again = locks.acquire("c")) {
            assertThat(asked())
                    .containsExactly(
                            Map.entry("a", ab.fencingToken(LockKey.of("a"))),
                            Map.entry("b", ab.fencingToken(LockKey.of("b"))),
                            Map.entry("c", c.fencingToken()));
            assertThat(again.fencingToken()).isEqualTo(c.fencingToken());
        }
        assertThat(asked()).isEmpty();
    }

    @Test
    void shared_detached_and_released_locks_are_not() {
        LockHandle shared = locks.acquire(LockRequest.of("shared").shared());
        LockHandle detached = locks.acquire("detached").detach();
        locks.acquire("released").close();
        assertThat(asked()).isEmpty();
        shared.close();
        detached.close();
    }

    @Test
    void lock_whose_token_is_refused_is_lost() {
        LockHandle first = locks.acquire("a");
        LockHandle second = locks.acquire("b");
        assertThatThrownBy(() -> locks.ensureLatest((key, token) -> !key.value().equals("a")))
                .isInstanceOfSatisfying(LockLostException.class, lost -> {
                    assertThat(lost.key()).isEqualTo(LockKey.of("a"));
                    assertThat(lost.fencingToken()).isEqualTo(first.fencingToken());
                    assertThat(lost.lossCause()).isEqualTo(LossCause.SUPERSEDED);
                })
                .hasMessageContaining("a later holder has already been there");
        assertThat(first.isHeld()).isFalse();
        assertThat(second.isHeld()).isTrue();
        second.close();
        assertThatThrownBy(first::close).isInstanceOf(LockLostException.class);
        eventually(() -> events.stream()
                .anyMatch(event -> event instanceof LockEvent.Lost lost && lost.cause() == LossCause.SUPERSEDED));
    }

    /** The resource knows more than that the lease has ended. */
    @Test
    void lock_that_is_known_to_be_lost_is_refused_for_the_same_reason() {
        LockHandle lock = locks.acquire(LockRequest.of("a").renew(false));
        time.pass(LockRequest.MAX_TIME);
        assertThat(lock.isHeld()).isFalse();
        assertThatThrownBy(() -> locks.ensureLatest((key, token) -> false))
                .isInstanceOfSatisfying(
                        LockLostException.class,
                        lost -> assertThat(lost.lossCause()).isEqualTo(LossCause.SUPERSEDED));
        assertThatThrownBy(lock::close)
                .isInstanceOfSatisfying(
                        LockLostException.class,
                        lost -> assertThat(lost.lossCause()).isEqualTo(LossCause.TIME_LIMIT_REACHED));
    }

    @Test
    void exception_of_the_resource_is_passed_on() {
        try (LockHandle lock = locks.acquire("a")) {
            assertThatThrownBy(() -> locks.ensureLatest((key, token) -> {
                        throw new IllegalStateException("no connection");
                    }))
                    .hasMessage("no connection");
            assertThat(lock.isHeld()).isTrue();
        }
    }
}
