package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.testing.StoreSpy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A client whose process is to be copied, and that is told so. */
class SuspendTest extends EngineFixture {

    private static final LockRequest REQUEST = LockRequest.of(KEY);

    private void copyTheProcess() throws InterruptedException {
        locks.suspend(Duration.ZERO);
        locks.resume();
    }

    @Test
    void what_is_held_at_a_checkpoint_is_lost_and_free_for_others() throws InterruptedException {
        LockHandle handle = locks.acquire(REQUEST);
        locks.suspend(Duration.ZERO);
        assertThat(handle.isHeld()).isFalse();
        assertThat(isFree()).isTrue();
        assertThatThrownBy(handle::close)
                .isInstanceOfSatisfying(
                        LockLostException.class,
                        loss -> assertThat(loss.lossCause()).isEqualTo(LossCause.CHECKPOINT));
    }

    @Test
    void no_lock_is_acquired_between_suspension_and_restore() throws InterruptedException {
        locks.suspend(Duration.ZERO);
        assertThatThrownBy(() -> locks.acquire(REQUEST))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("checkpoint");
        locks.resume();
        locks.acquire(REQUEST).close();
    }

    /** A store that records when it is disconnected and connected. */
    private StoreSpy connected(List<String> calls) {
        return new StoreSpy(new InMemoryLockStore(time, time)) {
            @Override
            public void disconnect() {
                calls.add("disconnect");
            }

            @Override
            public void connect() {
                calls.add("connect");
            }
        };
    }

    @Test
    void store_is_disconnected_for_the_checkpoint_and_connected_after_it() throws InterruptedException {
        List<String> calls = new ArrayList<>();
        StoreSpy connected = connected(calls);
        try (LockEngine client = LockEngine.builder(connected).ticker(time).build()) {
            client.suspend(Duration.ZERO);
            assertThat(calls).containsExactly("disconnect");
            client.resume();
            assertThat(calls).containsExactly("disconnect", "connect");
        }
    }

    @Test
    void who_is_restored_is_another_client() throws InterruptedException {
        locks.acquire(REQUEST).close();
        copyTheProcess();
        locks.acquire(REQUEST).close();
        assertThat(clients()).doesNotHaveDuplicates().hasSize(2);
    }

    @Test
    void who_is_restored_can_wait_and_be_woken() throws InterruptedException {
        copyTheProcess();
        LockHandle held = others.acquire(REQUEST.lease(Duration.ofSeconds(3)).renew(false));
        LockHandle next = locks.acquire(REQUEST.waitFor(Duration.ofMinutes(1)));
        assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        next.close();
    }

    @Test
    void a_lock_that_is_granted_while_its_process_is_copied_is_given_back() {
        boolean[] copied = {false};
        store.after = () -> {
            if (!copied[0]) {
                copied[0] = true;
                try {
                    copyTheProcess();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        };
        assertThatThrownBy(() -> locks.acquire(REQUEST))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("restored from a checkpoint");
        assertThat(isFree()).isTrue();
        locks.acquire(REQUEST).close();
    }

    @Test
    void waiter_whose_call_fails_while_its_process_is_copied_waits_for_nothing_more() {
        LockRequest briefly = REQUEST.lease(Duration.ofSeconds(3)).renew(false);
        others.acquire(briefly);
        store.acquires.clear();
        store.beforeAcquire = () -> {
            if (store.acquires.size() == 2) {
                try {
                    copyTheProcess();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                throw new LockStoreException("Redis refuses connections (on purpose)", null, false);
            }
        };
        assertThatThrownBy(() -> locks.acquire(briefly.waitFor(Duration.ofMinutes(1))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThat(store.acquires).hasSize(2);
    }

    @Test
    void a_lock_of_before_the_copy_is_not_reentered_after_it() throws InterruptedException {
        LockHandle handle = locks.acquire(REQUEST);
        copyTheProcess();
        assertThat(catchThrowable(handle::close)).isInstanceOf(LockLostException.class);
        try (LockHandle again = locks.acquire(REQUEST)) {
            assertThat(again.fencingToken()).isGreaterThan(handle.fencingToken());
        }
    }

    @Test
    void resume_without_suspension_changes_nothing() {
        locks.acquire(REQUEST).close();
        locks.resume();
        locks.acquire(REQUEST).close();
        assertThat(clients().stream().distinct()).hasSize(1);
    }

    @Test
    void closed_client_is_neither_suspended_nor_resumed() throws InterruptedException {
        List<String> calls = new ArrayList<>();
        StoreSpy connected = connected(calls);
        LockEngine closed = LockEngine.builder(connected).ticker(time).build();
        closed.acquire(REQUEST).close();
        closed.close();
        closed.suspend(Duration.ZERO);
        closed.resume();
        LockEngine suspended = LockEngine.builder(connected).ticker(time).build();
        suspended.suspend(Duration.ZERO);
        suspended.close();
        suspended.resume();

        assertThat(calls).containsExactly("disconnect");
        for (LockEngine each : List.of(closed, suspended)) {
            assertThatThrownBy(() -> each.acquire(REQUEST)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void nothing_is_remembered_of_what_was_held_at_a_checkpoint() throws InterruptedException {
        LockHandle handle = locks.acquire(REQUEST);
        copyTheProcess();

        assertThat(locks.held()).isEmpty();
        time.pass(Duration.ofSeconds(20));
        locks.acquire(LockRequest.of("another")).close();
        assertThat(store.renewals).isEmpty();
        assertThat(handle.isHeld()).isFalse();
    }

    private List<String> clients() {
        return store.acquires.stream()
                .map(AcquireRequest::owner)
                .map(owner -> owner.clientId())
                .toList();
    }
}
