package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.threads.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holders get time before a client is closed. */
@Timeout(120)
class DrainTest extends ThreadsFixture {

    private static final Duration LONG = Duration.ofMinutes(1);
    private final ExecutorService closing =
            Executors.newSingleThreadExecutor(work -> DaemonThreads.create(work, "closing"));

    @AfterEach
    void stop() {
        closing.shutdownNow();
    }

    /** A drain that has begun: new locks are refused. */
    private Future<Boolean> draining() {
        Future<Boolean> drained = closing.submit((Callable<Boolean>) () -> locks.drain(LONG));
        eventually(() -> drained.isDone() || isRefusing());
        return drained;
    }

    private boolean isRefusing() {
        return EngineFixture.catchThrowable(() -> locks.tryAcquire("another").ifPresent(LockHandle::close))
                instanceof IllegalStateException;
    }

    @Test
    void nothing_held_is_nothing_to_wait_for() throws InterruptedException {
        assertThat(locks.drain(Duration.ZERO)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE})
    void any_time_will_do(long seconds) throws InterruptedException {
        Duration time = Duration.ofSeconds(seconds);
        LockHandle held = locks.acquire(KEY);
        if (seconds > 0) {
            held.close();
        }

        assertThat(locks.drain(time)).isEqualTo(seconds > 0);
        locks.suspend(time);

        assertThat(isFree()).isTrue();
    }

    @Test
    void it_ends_when_the_last_lock_is_given_back() throws InterruptedException {
        LockHandle first = locks.acquire(KEY);
        LockHandle second = locks.acquire("stock:7");
        CountDownLatch ended = new CountDownLatch(1);
        Future<Boolean> endedEarly = closing.submit(() -> {
            first.close();
            boolean early = ended.await(200, TimeUnit.MILLISECONDS);
            second.close();
            return early;
        });

        assertThat(locks.drain(LONG)).isTrue();
        ended.countDown();

        assertThat(get(endedEarly)).isFalse();
    }

    @Test
    void lock_is_in_the_books_until_the_store_has_it_back() {
        LockHandle handle = locks.acquire(KEY);
        AtomicInteger heldAtRelease = new AtomicInteger();
        store.before = () -> heldAtRelease.set(locks.held().size());

        handle.close();

        assertThat(heldAtRelease).hasValue(1);
        assertThat(locks.held()).isEmpty();
    }

    @Test
    void who_lost_his_lock_before_is_not_waited_for() throws InterruptedException {
        LockHandle lost = locks.acquire(KEY);
        locks.forceRelease(KEY);

        assertThat(locks.drain(LONG)).isTrue();
        assertThat(EngineFixture.catchThrowable(lost::close)).isInstanceOf(LockLostException.class);
    }

    @Test
    void who_loses_his_lock_meanwhile_is_not_waited_for_any_more() {
        LockHandle lost = locks.acquire(KEY);
        Future<Boolean> drained = draining();
        assertThat(drained).isNotDone();

        locks.forceRelease(KEY);

        assertThat(get(drained)).isTrue();
        assertThat(EngineFixture.catchThrowable(lost::close)).isInstanceOf(LockLostException.class);
    }

    @Test
    void holder_enters_again_and_stays_the_holder() {
        LockHandle handle = locks.acquire(KEY);
        Future<Boolean> drained = draining();

        locks.execute(KEY, () -> assertThat(handle.isHeld()).isTrue());

        assertThat(drained).isNotDone();
        handle.close();
        assertThat(get(drained)).isTrue();
    }

    @Test
    void those_who_wait_are_told_that_the_client_ends() {
        others.acquire(KEY);
        Future<LockHandle> waiting = waiting(locks, REQUEST);
        Future<Boolean> drained = draining();

        assertThat(failure(waiting)).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
        assertThat(get(drained)).isTrue();
        assertThat(locks.waiting()).isEmpty();
    }

    @Test
    void what_outlasts_the_time_is_still_held_and_lost_at_close() throws InterruptedException {
        LockHandle handle = locks.acquire(KEY);

        assertThat(locks.drain(Duration.ofMillis(1))).isFalse();
        assertThat(handle.isHeld()).isTrue();
        locks.close();

        assertThat(handle.isHeld()).isFalse();
        assertThat(EngineFixture.catchThrowable(handle::close)).isInstanceOf(LockLostException.class);
        eventually(this::isFree);
    }
}
