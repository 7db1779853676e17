package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.Blockage;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.engine.acquire.Steps;
import io.holdfast.lock.engine.client.Cleanup;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.engine.hold.AcquireResult;
import io.holdfast.lock.engine.hold.HeldLocks;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.threads.Pause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An acquisition that no thread waits for goes on when it is woken, one thread at a time, and never misses that. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class AsyncStepsTest {

    private static final long FOR_EVER = Long.MAX_VALUE;
    private static final LockKey KEY = LockKey.of("key");
    private static final int MANY = 2_000;

    private static HeldLocks locks() {
        var store = new InMemoryLockStore();
        return new HeldLocks(
                new ClientContext(store, new Cleanup(store), Ticker.SYSTEM, false, "client"),
                new EventPublisher(List.of()),
                0);
    }

    private final AsyncCalls calls = new AsyncCalls(locks(), null, 1, Pause.PARK);
    private volatile Runnable waiter = () -> {};

    @AfterEach
    void close() {
        calls.close();
    }

    /** Refused in the end; each step but the last says for how long to wait. */
    private static class Scripted implements Steps {

        private final Function<Integer, Long> step;
        private final AtomicInteger count = new AtomicInteger();
        private final AtomicInteger inside = new AtomicInteger();
        private final List<String> reported = new ArrayList<>();
        private boolean tooLate;

        Scripted(Function<Integer, Long> step) {
            this.step = step;
        }

        @Override
        public long proceed() {
            assertThat(inside.incrementAndGet()).isEqualTo(1);
            try {
                return step.apply(count.incrementAndGet());
            } finally {
                inside.decrementAndGet();
            }
        }

        @Override
        public void interrupt(InterruptedException e) throws InterruptedException {
            reported.add("interrupt");
            if (!tooLate) {
                throw e;
            }
        }

        @Override
        public void abandon(Throwable why) {
            reported.add("abandon");
        }

        @Override
        public AcquireResult result() {
            return new AcquireResult.Contended(KEY, Duration.ZERO, Optional.empty(), false, 0);
        }
    }

    private CompletableFuture<String> start(Scripted script) {
        return start(calls, script);
    }

    private CompletableFuture<String> start(AsyncCalls client, Scripted script) {
        return client.execute(
                KEY,
                caller -> {
                    waiter = caller.waiter();
                    return script;
                },
                found -> {
                    throw new LockNotAcquiredException(null, KEY, Duration.ZERO, null, Blockage.UNKNOWN);
                },
                lock -> CompletableFuture.completedFuture("never begins"));
    }

    private void isRefused(CompletableFuture<String> result) {
        assertThatThrownBy(() -> result.get(1, TimeUnit.MINUTES))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(LockNotAcquiredException.class);
        hasLeft();
    }

    private void hasLeft() {
        Awaitility.await().until(() -> calls.places.availablePermits() > 0);
        assertThat(calls.places.availablePermits()).isEqualTo(1);
    }

    @Test
    void woken_while_it_looks_it_looks_again() {
        isRefused(start(new Scripted(step -> {
            if (step == 1) {
                waiter.run();
                return FOR_EVER;
            }
            return 0L;
        })));
    }

    @Test
    void woken_while_it_waits_it_goes_on() {
        CountDownLatch waiting = new CountDownLatch(1);
        Scripted script = new Scripted(step -> {
            waiting.countDown();
            return step == 1 ? FOR_EVER : 0L;
        });
        CompletableFuture<String> result = start(script);
        await(waiting);

        waiter.run();

        isRefused(result);
        assertThat(script.count).hasValue(2);
    }

    @Test
    void one_thread_at_a_time_goes_on_however_many_wake_it() {
        Scripted script = new Scripted(step -> step < MANY ? FOR_EVER : 0L);
        CompletableFuture<String> result = start(script);
        List<CompletableFuture<Void>> waking = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waking.add(NewThread.start(() -> {
                while (!result.isDone()) {
                    waiter.run();
                }
                return null;
            }));
        }

        isRefused(result);
        waking.forEach(CompletableFuture::join);
        assertThat(script.count).hasValue(MANY);
    }

    @Test
    void time_ends_a_wait_that_nobody_ends() {
        Scripted script = new Scripted(step -> step < 4 ? TimeUnit.MILLISECONDS.toNanos(5) : 0L);

        isRefused(start(script));

        assertThat(script.count).hasValue(4);
    }

    @Test
    void earlier_timeout_takes_the_place_of_a_later_one() {
        isRefused(start(new Scripted(step -> {
            if (step == 1) {
                waiter.run();
                return TimeUnit.HOURS.toNanos(1);
            }
            return step == 2 ? TimeUnit.MILLISECONDS.toNanos(5) : 0L;
        })));
    }

    @Test
    void cancelled_wait_is_given_up() {
        CountDownLatch waiting = new CountDownLatch(1);
        Scripted script = new Scripted(step -> {
            waiting.countDown();
            return FOR_EVER;
        });
        CompletableFuture<String> result = start(script);
        await(waiting);

        result.cancel(true);

        hasLeft();
        assertThat(script.reported).containsExactly("interrupt");
    }

    @Test
    void wait_that_is_cancelled_too_late_goes_on_until_it_can_be_given_up() {
        CountDownLatch waiting = new CountDownLatch(1);
        Scripted script = new Scripted(step -> {
            waiting.countDown();
            return step < 4 ? FOR_EVER : 0L;
        });
        script.tooLate = true;
        CompletableFuture<String> result = start(script);
        await(waiting);

        result.cancel(true);

        hasLeft();
        assertThat(script.reported).containsExactly("interrupt", "interrupt", "interrupt");
        assertThatThrownBy(result::join).isInstanceOf(CancellationException.class);
    }

    @Test
    void failure_ends_it() {
        CompletableFuture<String> result = start(new Scripted(step -> {
            throw new IllegalStateException("broken");
        }));

        assertThatThrownBy(() -> result.get(1, TimeUnit.MINUTES)).hasRootCauseMessage("broken");
        hasLeft();
    }

    @Test
    void failure_is_told_by_a_thread_that_may_block_even_if_the_executor_takes_nothing() {
        AsyncCalls refusing = new AsyncCalls(
                locks(),
                task -> {
                    throw new RejectedExecutionException("on purpose");
                },
                1,
                Pause.PARK);
        CountDownLatch observed = new CountDownLatch(1);
        CompletableFuture<String> teller = start(refusing, new Scripted(step -> {
                    await(observed);
                    throw new IllegalStateException("broken");
                }))
                .handle((value, failure) -> Thread.currentThread().getName());
        observed.countDown();

        assertThat(teller.orTimeout(1, TimeUnit.MINUTES).join()).startsWith("holdfast-async-");
        refusing.close();
    }

    @Test
    void what_cannot_begin_leaves_nothing_behind() {
        Scripted script = new Scripted(step -> 0L);
        calls.close();

        CompletableFuture<String> result = start(script);

        assertThatThrownBy(() -> result.get(1, TimeUnit.MINUTES)).hasMessageContaining("client is closed");
        assertThat(script.reported).containsExactly("abandon");
        hasLeft();
    }

    @Test
    void place_is_given_back_once_even_if_what_could_not_begin_cannot_be_ended() {
        Scripted script = new Scripted(step -> 0L) {
            @Override
            public void abandon(Throwable why) {
                throw new IllegalStateException("on purpose");
            }
        };
        calls.close();

        CompletableFuture<String> result = start(script);

        assertThatThrownBy(() -> result.get(1, TimeUnit.MINUTES)).hasMessageContaining("client is closed");
        hasLeft();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
