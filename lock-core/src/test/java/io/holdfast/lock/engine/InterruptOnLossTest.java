package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.testing.NewThread;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A loss stops the work, where that is asked for: the thread that holds the lock, and nobody else, and not later. */
class InterruptOnLossTest extends EngineFixture {

    private static final LockRequest REQUEST = LockRequest.of(KEY).interruptOnLoss(true);

    /** Takes the lock away, and returns when that is known. */
    private void takeAway() {
        NewThread.call(() -> locks.forceRelease(KEY));
    }

    @Test
    void work_is_interrupted_and_the_outcome_is_the_loss() {
        CompletableFuture<?> taken = new CompletableFuture<>();
        assertThatThrownBy(() -> locks.execute(REQUEST, () -> {
                    var unused = NewThread.start(() -> {
                        takeAway();
                        return taken.complete(null);
                    });
                    new CountDownLatch(1).await();
                }))
                .isInstanceOfSatisfying(
                        LockLostException.class,
                        loss -> assertThat(loss.getSuppressed())
                                .hasAtLeastOneElementOfType(InterruptedException.class));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        taken.join();
    }

    @Test
    void work_that_does_not_notice_leaves_no_interrupt_behind() {
        assertThatThrownBy(() -> locks.execute(REQUEST, () -> {
                    takeAway();
                    assertThat(Thread.currentThread().isInterrupted()).isTrue();
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void nobody_is_interrupted_who_did_not_ask_for_it() {
        LockHandle handle = locks.acquire(LockRequest.of(KEY));
        takeAway();
        assertThat(handle.isHeld()).isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void inner_hold_is_interrupted_for_as_long_as_it_lasts() {
        LockHandle outer = locks.acquire(LockRequest.of(KEY));
        locks.acquire(REQUEST).close();
        takeAway();
        assertThat(outer.isHeld()).isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void handle_that_left_its_thread_interrupts_nobody() {
        LockHandle handle = locks.acquire(REQUEST).detach();
        takeAway();
        assertThat(handle.isHeld()).isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void interrupt_of_somebody_else_outlasts_a_hold_that_was_not_lost() {
        locks.execute(REQUEST, () -> Thread.currentThread().interrupt());
        assertThat(Thread.interrupted()).isTrue();
    }

    /** The loss comes at any moment around the end of the hold; the thread goes on with something else. */
    @Test
    void no_interrupt_comes_after_the_hold_has_ended() {
        for (int i = 0; i < 300; i++) {
            LockHandle handle = locks.acquire(REQUEST);
            CountDownLatch ready = new CountDownLatch(1);
            var taken = NewThread.start(() -> {
                ready.countDown();
                return locks.forceRelease(KEY);
            });
            while (ready.getCount() > 0) {
                Thread.onSpinWait();
            }
            catchThrowable(handle::close);
            boolean atTheEnd = Thread.currentThread().isInterrupted();
            taken.join();
            assertThat(atTheEnd || Thread.currentThread().isInterrupted())
                    .as("after hold %d", i)
                    .isFalse();
        }
    }

    @Test
    void stage_is_cancelled() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<String> result = locks.executeAsync(REQUEST, handle -> {
            begun.countDown();
            return stage;
        });
        assertThat(catchThrowable(() -> begun.await(1, TimeUnit.MINUTES))).isNull();
        takeAway();
        assertThatThrownBy(() -> result.orTimeout(1, TimeUnit.MINUTES).join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(LockLostException.class);
        assertThat(stage).isCancelled();
    }

    @Test
    void function_that_makes_the_stage_is_interrupted() {
        LockRequest several = LockRequest.ofAll(List.of("another", KEY));
        for (LockRequest request : List.of(REQUEST, several.interruptOnLoss(true), several)) {
            AtomicBoolean interrupted = new AtomicBoolean();
            CompletableFuture<String> result = locks.executeAsync(request, handle -> {
                takeAway();
                interrupted.set(Thread.currentThread().isInterrupted());
                return CompletableFuture.completedFuture("done");
            });

            assertThatThrownBy(() -> result.orTimeout(1, TimeUnit.MINUTES).join())
                    .hasCauseInstanceOf(LockLostException.class);
            assertThat(interrupted.get()).isEqualTo(request.interruptOnLoss());
        }
    }

    /** As when an executor is busy for so long. */
    @Test
    void function_that_begins_after_the_loss_is_interrupted() {
        AtomicBoolean interrupted = new AtomicBoolean();
        AtomicReference<LockEngine> client = new AtomicReference<>();
        client.set(VirtualTime.builder(store)
                .ticker(time)
                .pause(pause)
                .executor(work -> {
                    NewThread.call(() -> client.get().forceRelease(KEY));
                    work.run();
                })
                .build());
        try (LockEngine late = client.get()) {
            CompletableFuture<String> result = late.executeAsync(REQUEST, handle -> {
                interrupted.set(Thread.currentThread().isInterrupted());
                return CompletableFuture.completedFuture("done");
            });

            assertThatThrownBy(() -> result.orTimeout(1, TimeUnit.MINUTES).join())
                    .hasCauseInstanceOf(LockLostException.class);
        }
        assertThat(interrupted).isTrue();
    }

    @Test
    void lease_that_runs_out_interrupts_too() {
        assertThatThrownBy(() ->
                        locks.execute(REQUEST.lease(Duration.ofSeconds(1)).renew(false), lock -> {
                            time.pass(Duration.ofSeconds(2));
                            assertThat(lock.isHeld()).isFalse();
                            while (!Thread.currentThread().isInterrupted()) { // the clock may have noticed it first
                                Thread.onSpinWait();
                            }
                            return null;
                        }))
                .isInstanceOf(LockLostException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
}
