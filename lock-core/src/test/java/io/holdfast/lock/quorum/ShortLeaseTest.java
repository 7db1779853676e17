package io.holdfast.lock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A thread asks for half a second for its next step, on a quorum whose leases are hardly longer. */
class ShortLeaseTest {

    private static final Duration LEASE = Duration.ofMillis(800);
    private static final Duration STEP = Duration.ofMillis(500);
    private static final LockRequest REQUEST =
            LockRequest.of("order:42").lease(LEASE).renew(false);

    private final FakeTicker time = new FakeTicker();
    private final QuorumLockStore quorum = new QuorumLockStore(
            Stream.of("a", "b", "c")
                    .map(name -> new QuorumNode(name, new InMemoryLockStore(time, time)))
                    .toList(),
            LEASE,
            time,
            threads -> Runnable::run);
    private final StoreSpy store = new StoreSpy(quorum);
    private final LockEngine locks = LockEngine.builder(store).ticker(time).build();

    @AfterEach
    void close() {
        store.after = () -> {};
        locks.close();
        store.close();
    }

    @Test
    void lock_is_extended_by_as_much_as_the_quorum_allows() {
        LockHandle handle = locks.acquire(REQUEST);
        time.pass(Duration.ofMillis(400));

        locks.ensureHeld(STEP);

        assertThat(handle.remaining()).isEqualTo(LEASE);
    }

    @Test
    void lock_is_extended_again_if_a_slow_answer_left_too_little() {
        LockHandle handle = locks.acquire(REQUEST);
        time.pass(Duration.ofMillis(400));
        store.afterCallsHere(() -> {
            store.after = () -> {};
            time.pass(Duration.ofMillis(350));
        });

        locks.ensureHeld(STEP);

        assertThat(handle.remaining()).isGreaterThanOrEqualTo(STEP);
    }

    @Test
    void store_that_always_answers_slowly_stops_the_thread_and_the_lock_stays_held() {
        LockHandle handle = locks.acquire(REQUEST);
        time.pass(Duration.ofMillis(400));
        store.afterCallsHere(() -> time.pass(Duration.ofMillis(350)));

        assertThatThrownBy(() -> locks.ensureHeld(STEP))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("too slowly");
        assertThat(handle.isHeld()).isTrue();
    }

    @Test
    void answer_after_the_former_deadline_is_a_loss() {
        locks.acquire(REQUEST);
        time.pass(Duration.ofMillis(400));
        store.afterCallsHere(() -> time.pass(Duration.ofMillis(400)));

        assertThatThrownBy(() -> locks.ensureHeld(STEP)).isInstanceOf(LockLostException.class);
    }

    @Test
    void time_that_is_longer_than_any_lease_is_refused() {
        locks.acquire(REQUEST);

        assertThatThrownBy(() -> locks.ensureHeld(LEASE.plusMillis(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the longest lease in this store is 800 ms");
    }
}
