package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LossCause;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A thread asks whether all of its locks last for its next step. */
class ThreadCheckTest extends EngineFixture {

    private static final Duration STEP = Duration.ofMillis(500);
    private static final LockRequest FIXED =
            LockRequest.of(KEY).lease(Duration.ofSeconds(10)).renew(false);

    private void heldWithLeft(Duration left) {
        locks.acquire(FIXED);
        time.pass(Duration.ofSeconds(10).minus(left));
    }

    @Test
    void thread_without_locks_may_go_on() {
        assertThatCode(() -> locks.ensureHeld(STEP)).doesNotThrowAnyException();
    }

    @Test
    void store_is_not_asked_while_enough_is_left() {
        heldWithLeft(STEP);
        store.reachable(false);
        assertThatCode(() -> locks.ensureHeld(STEP)).doesNotThrowAnyException();
    }

    @Test
    void lock_with_less_left_is_extended() {
        heldWithLeft(Duration.ofMillis(1));
        locks.ensureHeld(STEP);
        time.pass(STEP);
        assertThatCode(() -> locks.ensureHeld(Duration.ZERO)).doesNotThrowAnyException();
        assertThat(others.tryAcquire(KEY)).isEmpty();
    }

    @Test
    void time_that_is_shorter_than_any_lease_is_enough() {
        heldWithLeft(Duration.ofNanos(1));
        assertThatCode(() -> locks.ensureHeld(Duration.ofMillis(1))).doesNotThrowAnyException();
    }

    @Test
    void zero_extends_nothing() {
        heldWithLeft(Duration.ofNanos(1));
        store.reachable(false);
        assertThatCode(() -> locks.ensureHeld(Duration.ZERO)).doesNotThrowAnyException();
    }

    @Test
    void lost_lock_is_told_whichever_it_is() {
        locks.acquire("first");
        locks.acquire(FIXED);
        locks.acquire("last");
        time.pass(Duration.ofSeconds(10));
        assertThatThrownBy(() -> locks.ensureHeld(STEP))
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining(KEY);
    }

    @Test
    void each_lock_of_a_multi_lock_counts() {
        locks.acquire(LockRequest.ofAll(List.of("a", "b", "c")));
        locks.forceRelease("b");
        time.pass(Duration.ofMillis(29_999));
        assertThatThrownBy(() -> locks.ensureHeld(STEP))
                .isInstanceOfSatisfying(
                        LockLostException.class,
                        lost -> assertThat(lost.lossCause()).isEqualTo(LossCause.REVOKED));
    }

    @Test
    void view_counts_like_a_handle() {
        locks.getLock(FIXED).lock();
        time.pass(Duration.ofSeconds(10));
        assertThatThrownBy(() -> locks.ensureHeld(STEP)).isInstanceOf(LockLostException.class);
    }

    @Test
    void lock_that_was_given_back_does_not_count() {
        LockHandle handle = locks.acquire(FIXED);
        time.pass(Duration.ofSeconds(10));
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
        assertThatCode(() -> locks.ensureHeld(STEP)).doesNotThrowAnyException();
    }

    @Test
    void detached_handle_and_other_threads_locks_do_not_count() {
        locks.acquire(FIXED).detach();
        onAnotherThread(() -> locks.acquire(LockRequest.of("other").renew(false)));
        time.pass(Duration.ofSeconds(30));
        assertThatCode(() -> locks.ensureHeld(STEP)).doesNotThrowAnyException();
    }

    @Test
    void lock_that_cannot_be_extended_stops_the_thread_and_stays_held() {
        heldWithLeft(Duration.ofMillis(1));
        store.reachable(false);
        assertThatThrownBy(() -> locks.ensureHeld(STEP)).isInstanceOf(LockStoreException.class);
        store.reachable(true);
        assertThatCode(() -> locks.ensureHeld(STEP)).doesNotThrowAnyException();
    }

    @Test
    void answer_after_the_former_deadline_is_a_loss() {
        heldWithLeft(Duration.ofMillis(1));
        store.afterCallsHere(() -> time.pass(Duration.ofMillis(1)));
        assertThatThrownBy(() -> locks.ensureHeld(STEP)).isInstanceOf(LockLostException.class);
    }

    @Test
    void as_much_is_left_after_the_slowest_answer() {
        LockHandle handle = locks.acquire(FIXED);
        time.pass(Duration.ofSeconds(10).minus(STEP).plusMillis(1));
        store.afterCallsHere(() -> time.pass(STEP.minusMillis(2)));
        locks.ensureHeld(STEP);
        assertThat(handle.remaining()).isGreaterThanOrEqualTo(STEP);
    }

    @Test
    void lock_that_another_thread_gives_back_meanwhile_does_not_count() {
        LockHandle handle = locks.acquire(FIXED);
        time.pass(Duration.ofMillis(9_999));
        store.beforeNextCallHere(() -> {
            handle.close();
        });
        assertThatCode(() -> locks.ensureHeld(STEP)).doesNotThrowAnyException();
    }

    @Test
    void time_out_of_range_is_refused() {
        assertThatThrownBy(() -> locks.ensureHeld(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("365 days");
        assertThatThrownBy(() -> locks.ensureHeld(Duration.ofDays(366))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void lock_that_the_closed_client_gave_back_is_lost() {
        LockHandle handle = locks.acquire(KEY);
        locks.close();
        assertThatThrownBy(() -> locks.ensureHeld(Duration.ZERO))
                .isInstanceOfSatisfying(
                        LockLostException.class,
                        lost -> assertThat(lost.lossCause()).isEqualTo(LossCause.CLOSED));
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
    }

    @Test
    void client_that_is_closed_while_a_lock_is_extended_has_lost_it() {
        heldWithLeft(Duration.ofMillis(1));
        store.beforeNextCallHere(() -> {
            locks.close();
        });
        assertThatThrownBy(() -> locks.ensureHeld(STEP)).isInstanceOf(LockLostException.class);
    }

    @Test
    void lost_lock_counts_until_its_handle_is_closed() {
        LockHandle handle = locks.acquire(FIXED);
        time.pass(Duration.ofDays(1));
        assertThatThrownBy(() -> locks.ensureHeld(STEP)).hasMessageContaining("its handle was never closed");
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
        assertThatCode(() -> locks.ensureHeld(STEP)).doesNotThrowAnyException();
    }

    @Test
    void thread_may_forget_what_it_has_lost_and_nothing_else() {
        locks.acquire(FIXED);
        LockHandle other = locks.acquire("other");
        locks.forceRelease(KEY);
        assertThatThrownBy(() -> locks.ensureHeld(STEP)).isInstanceOf(LockLostException.class);

        locks.forgetLost();

        assertThatCode(() -> locks.ensureHeld(STEP)).doesNotThrowAnyException();
        assertThat(other.isHeld()).isTrue();
        assertThat(locks.held())
                .singleElement()
                .extracting(hold -> hold.key().value())
                .isEqualTo("other");
    }

    /** The store does not know of each loss. */
    @Test
    void lock_that_is_forgotten_is_given_back() {
        locks.acquire(KEY);
        assertThatThrownBy(() -> locks.ensureLatest((key, token) -> false)).isInstanceOf(LockLostException.class);
        assertThat(isFree()).isFalse();

        locks.forgetLost();

        Awaitility.await().until(this::isFree);
    }

    @Test
    void forgotten_lock_is_acquired_anew_and_its_former_handle_tells_the_loss() {
        LockHandle former = locks.acquire(FIXED);
        time.pass(Duration.ofSeconds(10));
        assertThatThrownBy(() -> locks.acquire(FIXED)).isInstanceOf(LockLostException.class);

        locks.forgetLost();

        LockHandle again = locks.acquire(FIXED);
        assertThatThrownBy(former::close).isInstanceOf(LockLostException.class);
        assertThat(again.isHeld()).isTrue();
    }

    @Test
    void lock_with_exactly_as_much_left_is_not_extended() {
        locks.acquire(KEY);

        locks.ensureHeld(Duration.ofSeconds(30));
        assertThat(store.renewals).isEmpty();

        locks.ensureHeld(Duration.ofSeconds(30).plusNanos(1));
        assertThat(store.renewals).hasSize(1);
    }
}
