package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The store has granted a lock, and then something breaks before anybody has a handle. */
@Timeout(120)
class GrantFailsTest extends ThreadsFixture {

    private final AtomicBoolean breaks = new AtomicBoolean();

    /** Breaks once while a granted lock becomes a hold. */
    @Override
    long nanos() {
        if (breaks.get() && isGranting() && breaks.getAndSet(false)) {
            throw new OutOfMemoryError("no memory left (on purpose)");
        }
        return super.nanos();
    }

    private static boolean isGranting() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().endsWith(".HeldLocks")
                        && frame.getMethodName().equals("open")));
    }

    @Test
    void lock_that_nobody_was_given_is_given_back_and_the_next_thread_gets_its_turn() {
        Future<LockHandle> holder = waiting(locks, REQUEST);
        Future<LockHandle> unlucky = waiting(locks, REQUEST);
        Future<LockHandle> next = waiting(locks, REQUEST);
        LockHandle held = get(holder);
        breaks.set(true);

        held.close();

        assertThat(failure(unlucky)).hasMessage("no memory left (on purpose)");
        assertThat(get(next).isHeld()).isTrue();
        assertThat(locks.held()).hasSize(1);
        get(next).close();
        eventually(this::isFree);
        assertThat(others.tryAcquire(KEY)).isPresent();
    }

    @Test
    void store_that_cannot_be_heard_is_asked_more_often() {
        LockHandle held = others.acquire(KEY);
        store.beforeListen = () -> {
            throw new IllegalStateException("no connection left (on purpose)");
        };
        Future<LockHandle> waiter = waiting(locks, REQUEST);
        held.close();

        time.pass(Duration.ofMillis(100));
        VirtualTime.keepEntries(locks);

        assertThat(get(waiter).isHeld()).isTrue();
    }

    @Test
    void several_locks_of_which_the_first_breaks_are_all_given_back() {
        LockRequest all = LockRequest.ofAll(List.of("a", "b", "c"));
        breaks.set(true);

        assertThatThrownBy(() -> locks.acquire(all)).isInstanceOf(OutOfMemoryError.class);

        eventually(() -> others.tryAcquire(all).isPresent());
        assertThat(locks.held()).isEmpty();
    }
}
