package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockResult;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Running work under a lock. */
class ExecuteTest extends EngineFixture {

    @Test
    void execute_runs_the_work_under_the_lock_and_frees_it() {
        String result = locks.execute(KEY, () -> isFree() ? "free" : "held");

        assertThat(result).isEqualTo("held");
        assertThat(isFree()).isTrue();
    }

    @Test
    void execute_passes_the_works_own_exception_through_and_frees_the_lock() {
        assertThatThrownBy(() -> locks.execute(KEY, () -> {
                    throw new IOException("mine");
                }))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("mine");

        assertThat(isFree()).isTrue();
    }

    @Test
    void execute_waits_five_seconds_and_says_who_holds_the_lock() {
        others.acquire(KEY);

        assertThatThrownBy(() -> locks.execute(KEY, () -> {}))
                .isInstanceOfSatisfying(LockNotAcquiredException.class, e -> {
                    assertThat(e.key().value()).isEqualTo(KEY);
                    assertThat(e.waitedFor()).isEqualTo(Duration.ofSeconds(5));
                    assertThat(e.holder()).isPresent();
                    assertThat(e).hasMessageContaining("order:42").hasMessageContaining("pid");
                });
    }

    @Test
    void execute_gets_a_lock_that_is_freed_while_it_waits() {
        LockHandle other =
                others.acquire(LockRequest.of(KEY).lease(Duration.ofSeconds(2)).renew(false));

        assertThat(locks.<String, RuntimeException>execute(KEY, () -> "done")).isEqualTo("done");
        assertThat(other.isHeld()).isFalse();
    }

    @Test
    void execute_reports_a_lost_lock_with_the_works_exception_inside() {
        assertThatThrownBy(() -> locks.execute(KEY, () -> {
                    locks.forceRelease(KEY);
                    time.pass(Duration.ofMinutes(1));
                    throw new IOException("mine");
                }))
                .isInstanceOf(LockLostException.class)
                .satisfies(e -> assertThat(e.getSuppressed()).singleElement().isInstanceOf(IOException.class));
    }

    @Test
    void nested_execute_reports_one_loss_once() {
        assertThatThrownBy(() -> locks.execute(KEY, () -> locks.execute(KEY, () -> time.pass(Duration.ofMinutes(1)))))
                .isInstanceOf(LockLostException.class)
                .satisfies(e -> assertThat(e.getSuppressed()).isEmpty());
    }

    @Test
    void try_execute_answers_the_result_or_that_it_did_not_run() {
        LockResult<String> ran = locks.tryExecute(KEY, () -> "done");
        assertThat(ran.executed()).isTrue();
        assertThat(ran.orElseGet(() -> "fallback")).isEqualTo("done");

        others.acquire(KEY);
        LockResult<String> refused = locks.tryExecute(KEY, () -> "done");

        assertThat(refused).isInstanceOfSatisfying(LockResult.NotAcquired.class, e -> {
            assertThat(e.waitedFor()).isZero();
            assertThat(e.holder()).isPresent();
        });
        assertThat(refused.orElseGet(() -> "fallback")).isEqualTo("fallback");
    }

    @Test
    void try_waits_when_it_is_told_to() {
        others.acquire(LockRequest.of(KEY).lease(Duration.ofSeconds(2)).renew(false));

        assertThat(locks.tryAcquire(LockRequest.of(KEY).waitFor(Duration.ofSeconds(3))))
                .isPresent();
    }

    @Test
    void try_asks_once_and_leaves_no_entry() {
        others.acquire(KEY);
        store.acquires.clear();

        assertThat(locks.tryAcquire(KEY)).isEmpty();

        assertThat(store.acquires).hasSize(1);
        assertThat(locks.inspect(KEY).waiters()).isZero();
    }

    @Test
    void try_does_not_ask_the_store_while_another_thread_of_this_client_holds_the_lock() {
        LockHandle held = locks.acquire(KEY);
        store.acquires.clear();

        assertThat(onAnotherThread(() -> locks.tryAcquire(KEY))).isEmpty();
        assertThat(store.acquires).isEmpty();

        held.close();
        assertThat(onAnotherThread(() -> locks.tryAcquire(KEY))).isPresent();
    }

    @Test
    void waiting_limit_is_exceeded_by_one_command_at_most() {
        Duration command = Duration.ofSeconds(1);
        Duration limit = Duration.ofMillis(2_500);
        others.acquire(KEY);
        store.beforeAcquire = () -> time.pass(command);

        assertThatThrownBy(() -> locks.acquire(LockRequest.of(KEY).waitFor(limit)))
                .isInstanceOfSatisfying(
                        LockNotAcquiredException.class,
                        e -> assertThat(e.waitedFor()).isBetween(limit, limit.plus(command)));
    }
}
