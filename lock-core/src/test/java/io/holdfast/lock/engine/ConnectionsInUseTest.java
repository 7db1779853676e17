package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.testing.NewThread;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** All connections of the client are in use, for longer than a call waits for one. */
class ConnectionsInUseTest extends EngineFixture {

    private static final String KEY = "order:42";

    private final AtomicInteger tries = new AtomicInteger();

    private void busyFor(int calls) {
        busyFor(calls, new ConnectionsInUseException(new IllegalStateException("on purpose")));
    }

    private void busyFor(int calls, ConnectionsInUseException reason) {
        store.beforeAcquire = () -> {
            if (tries.incrementAndGet() <= calls) {
                throw new LockStoreException("All connections for locks are in use (on purpose)", reason, false);
            }
        };
    }

    @Test
    void one_is_waited_for_within_the_budget() {
        busyFor(10);

        try (LockHandle handle = locks.acquire(LockRequest.of(KEY).waitFor(Duration.ofMinutes(1)))) {
            assertThat(handle.isHeld()).isTrue();
        }
        assertThat(tries).hasValue(11);
    }

    @Test
    void failure_of_the_last_try_is_thrown_when_the_budget_is_spent() {
        busyFor(Integer.MAX_VALUE);

        assertThatThrownBy(() -> locks.acquire(LockRequest.of(KEY).waitFor(Duration.ofSeconds(1))))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("in use");

        assertThat(tries).hasValueGreaterThan(2);
    }

    @Test
    void one_try_is_one_try() {
        busyFor(1);

        assertThatThrownBy(() -> locks.tryAcquire(KEY)).isInstanceOf(LockStoreException.class);

        assertThat(tries).hasValue(1);
    }

    /** That is not the time of a command; the store says when it has taken too long. */
    @Test
    void single_try_waits_for_the_first_connection() {
        busyFor(10, new ConnectionsInUseException(new IllegalStateException("on purpose"), true));

        assertThat(locks.tryAcquire(KEY)).isPresent();

        assertThat(tries).hasValue(11);
    }

    @Test
    void budget_limits_the_wait_for_the_first_connection() {
        busyFor(Integer.MAX_VALUE, new ConnectionsInUseException(new IllegalStateException("on purpose"), true));

        assertThatThrownBy(() -> locks.acquire(LockRequest.of(KEY).waitFor(Duration.ofSeconds(1))))
                .isInstanceOf(LockStoreException.class);
    }

    @Test
    void end_of_the_client_ends_the_wait() {
        busyFor(Integer.MAX_VALUE);
        LockEngine locks =
                LockEngine.builder(store).build(); // in real time, which no timer of a closed client lets pass
        List<CompletableFuture<String>> results = List.of(
                NewThread.start(() -> locks.execute(patient("thread"), lock -> "never")),
                locks.executeAsync(patient("task"), lock -> CompletableFuture.completedFuture("never")));
        Awaitility.await().until(() -> locks.waiting().size() == 2);

        locks.close();

        for (CompletableFuture<String> result : results) {
            assertThatThrownBy(() -> result.get(1, TimeUnit.MINUTES)).hasMessageContaining("client is closed");
        }
    }

    private static LockRequest patient(String key) {
        return LockRequest.of(key).waitFor(Duration.ofDays(365));
    }

    @Test
    void interrupt_ends_the_wait() throws Exception {
        busyFor(Integer.MAX_VALUE);
        CountDownLatch trying = new CountDownLatch(1);
        Runnable busy = store.beforeAcquire;
        store.beforeAcquire = () -> {
            trying.countDown();
            busy.run();
        };
        CountDownLatch ended = new CountDownLatch(1);
        Thread waiter = new Thread(() -> {
            assertThatThrownBy(() -> locks.getLock(KEY).lockInterruptibly()).isInstanceOf(InterruptedException.class);
            ended.countDown();
        });
        waiter.start();
        trying.await();

        waiter.interrupt();

        ended.await();
        assertThat(isFree()).isTrue();
    }
}
