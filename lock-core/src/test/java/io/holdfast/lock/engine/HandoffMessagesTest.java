package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the store tells the client of a holder counts for whoever of its threads has the lock by then. */
@Timeout(120)
class HandoffMessagesTest extends ThreadsFixture {

    private List<Future<LockHandle>> line = List.of();

    /** The first of that many threads has handed the lock to the second one. */
    private void handoff(int threads) {
        LockHandle before = locks.acquire(REQUEST);
        line = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            line.add(waiting(locks, REQUEST));
        }
        before.close();
        handOff(0);
        store.acquires.clear();
    }

    /** That thread closes its handle, and the next one in line has the lock. */
    private void handOff(int from) {
        LockHandle held = get(line.get(from));
        passMicro();
        held.close();
        assertThat(get(line.get(from + 1)).isHeld()).isTrue();
    }

    @Test
    void another_client_that_comes_after_a_handoff_is_let_in_after_64_further_ones() {
        handoff(67);
        Future<LockHandle> other = waiting(others, REQUEST);

        for (int i = 1; i <= 64; i++) {
            handOff(i);
            assertThat(other.isDone()).isFalse();
        }
        passMicro();
        get(line.get(65)).close();

        get(other).close();
        get(line.get(66)).close();
    }

    @Test
    void fair_thread_of_another_client_that_comes_after_a_handoff_is_let_in_at_once() {
        handoff(3);
        Future<LockHandle> other = waiting(others, REQUEST.fair(true));
        passMicro();

        get(line.get(1)).close();

        assertThat(get(other).isHeld()).isTrue();
        assertThat(line.get(2).isDone()).isFalse();
    }

    @Test
    void lock_that_is_released_by_force_after_a_handoff_is_not_handed_off_again() {
        handoff(3);
        others.forceRelease(KEY);
        passMicro();

        LockHandle lost = get(line.get(1));
        assertThatThrownBy(lost::close).isInstanceOf(LockLostException.class);

        get(line.get(2)).close();
        assertThat(store.acquires).hasSize(1);
    }
}
