package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What can be done with a handle. */
class HandleTest extends EngineFixture {

    @Test
    void extension_makes_the_lock_last_and_never_shortens_it() {
        LockHandle handle = locks.acquire(KEY);

        handle.extend(Duration.ofMinutes(5));
        assertThat(handle.remaining()).isEqualTo(Duration.ofMinutes(5));
        handle.extend(Duration.ofSeconds(1));

        assertThat(handle.remaining()).isEqualTo(Duration.ofMinutes(5));
    }

    /** The work was done in time, and somebody else has the lock rightly. */
    @Test
    void release_that_arrives_after_the_end_of_the_lease_is_no_loss() {
        LockHandle handle = locks.acquire(KEY);
        store.beforeRelease = () -> {
            store.beforeRelease = () -> {};
            time.pass(Duration.ofMinutes(1));
            others.acquire(KEY);
        };

        handle.close();

        assertThat(events).noneMatch(LockEvent.Lost.class::isInstance);
        assertThat(isFree()).isFalse();
    }

    /** The store counts from when the call arrives, so whoever counts from the answer believes itself the holder for too long. */
    @Test
    void extension_counts_from_before_its_call_was_sent() {
        LockHandle handle = locks.acquire(KEY);
        store.afterCallsHere(() -> time.pass(Duration.ofSeconds(3)));

        handle.extend(Duration.ofMinutes(5));
        store.after = () -> {};

        assertThat(handle.remaining()).isEqualTo(Duration.ofMinutes(5).minusSeconds(3));
    }

    @Test
    void handle_can_be_closed_without_waiting_for_the_store() throws Exception {
        LockHandle handle = locks.acquire(KEY);
        CompletableFuture<String> thread = new CompletableFuture<>();
        store.beforeRelease = () -> thread.complete(Thread.currentThread().getName());

        handle.closeAsync().get(1, TimeUnit.MINUTES);

        assertThat(thread.get(1, TimeUnit.MINUTES)).startsWith("holdfast-release-");
        assertThat(isFree()).isTrue();
        assertThat(handle.closeAsync().get(1, TimeUnit.MINUTES)).isNull();
    }

    @Test
    void handle_that_is_closed_without_waiting_reports_its_loss() {
        LockHandle handle = locks.acquire(KEY);
        others.forceRelease(KEY);

        assertThatThrownBy(() -> handle.closeAsync().get(1, TimeUnit.MINUTES))
                .hasCauseInstanceOf(LockLostException.class);
    }

    @Test
    void handle_of_a_closed_client_is_closed_on_the_current_thread() {
        LockHandle handle = locks.acquire(KEY);
        locks.close();

        assertThat(handle.closeAsync()).isCompletedExceptionally();
    }

    @Test
    void extension_of_a_lock_that_was_taken_away_is_a_loss() {
        LockHandle handle = locks.acquire(KEY);
        others.forceRelease(KEY);

        assertThatThrownBy(() -> handle.extend(Duration.ofMinutes(1))).isInstanceOf(LockLostException.class);
        assertThat(handle.isHeld()).isFalse();
    }

    @Test
    void extension_out_of_range_is_refused() {
        LockHandle handle = locks.acquire(KEY);

        assertThatThrownBy(() -> handle.extend(Duration.ofMillis(99)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("100 ms");
    }

    @Test
    void closed_handle_is_not_held_and_refuses_use() {
        LockHandle handle = locks.acquire(KEY);
        handle.close();
        handle.close();

        assertThat(handle.isHeld()).isFalse();
        assertThat(handle.remaining()).isZero();
        assertThat(handle.fencingToken()).isPositive();
        assertThatThrownBy(handle::ensureHeld).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> handle.extend(Duration.ofSeconds(1))).isInstanceOf(IllegalStateException.class);
        assertThat(store.releases).hasSize(1);
    }

    @Test
    void closed_handle_takes_no_action_for_a_loss_and_cannot_be_detached() {
        LockHandle handle = locks.acquire(KEY);
        handle.close();

        assertThatThrownBy(() -> handle.onLost(loss -> {})).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(handle::detach).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void action_for_a_loss_that_is_known_runs_at_once() {
        LockHandle handle = locks.acquire(KEY);
        time.pass(Duration.ofMinutes(1));
        assertThat(handle.isHeld()).isFalse();
        List<LockEvent.Lost> reported = new ArrayList<>();

        handle.onLost(reported::add);

        assertThat(reported).hasSize(1);
    }

    @Test
    void handle_of_one_lock_tells_its_key_and_the_token_of_that() {
        LockHandle handle = locks.acquire(KEY);

        assertThat(handle.keys()).containsExactly(LockKey.of(KEY));
        assertThat(handle.fencingToken(LockKey.of(KEY))).isEqualTo(handle.fencingToken());
        assertThatThrownBy(() -> handle.fencingToken(LockKey.of("another")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(KEY, "another");
    }

    @Test
    void closing_an_inner_handle_twice_does_not_close_the_outer_one() {
        LockHandle outer = locks.acquire(KEY);
        LockHandle inner = locks.acquire(KEY);
        inner.close();
        inner.close();

        assertThat(outer.isHeld()).isTrue();
        assertThat(isFree()).isFalse();
    }

    @Test
    void tokens_increase_from_grant_to_grant() {
        long last = 0;
        for (int i = 0; i < 20; i++) {
            try (LockHandle handle = (i % 2 == 0 ? locks : others).acquire(KEY)) {
                assertThat(handle.fencingToken()).isGreaterThan(last);
                last = handle.fencingToken();
            }
        }
    }

    @Test
    void work_that_failed_because_of_the_loss_fails_with_that_exception_itself() {
        LockLostException[] thrown = new LockLostException[1];

        assertThatThrownBy(() -> locks.execute(LockRequest.ofAll(List.of(KEY, "other")), handle -> {
                    others.forceRelease(KEY);
                    thrown[0] =
                            catchThrowableOfType(LockLostException.class, () -> handle.extend(Duration.ofMinutes(1)));
                    throw thrown[0];
                }))
                .isSameAs(thrown[0]);
    }
}
