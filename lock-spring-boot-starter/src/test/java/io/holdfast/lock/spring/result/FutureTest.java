package io.holdfast.lock.spring.result;

import static io.holdfast.lock.spring.result.Results.inMemory;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.testing.NoRoomForThreads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Methods that are declared to return a plain future. */
@Timeout(60)
class FutureTest {

    @Test
    void future_that_is_a_stage_is_followed() {
        inMemory(world -> {
            var work = new CompletableFuture<String>();
            Future<String> result = world.service().future(() -> work);
            assertThat(world.isHeld()).isTrue();
            work.complete("done");
            assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("done");
            assertThat(world.isHeld()).isFalse();
        });
    }

    @Test
    void future_that_cannot_call_back_fails_the_call() {
        inMemory(world -> {
            assertThatThrownBy(() -> world.service().future(() -> new FutureTask<>(() -> "never")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("FutureTask accepts no dependents", "Return a CompletableFuture");
            assertThat(world.isHeld()).isFalse();
        });
    }

    @Test
    void future_that_is_done_is_the_result() {
        inMemory(world -> {
            var work = new FutureTask<>(() -> "done");
            work.run();
            assertThat(world.service().future(() -> work)).isSameAs(work);
            assertThat(world.isHeld()).isFalse();
        });
    }

    @Test
    void contention_is_thrown_to_the_caller() {
        inMemory(world -> {
            try (LockHandle other = world.taken()) {
                assertThatThrownBy(() -> world.service().future(() -> new FutureTask<>(() -> "never")))
                        .isInstanceOf(LockNotAcquiredException.class)
                        .hasMessageContaining("Results.future");
            }
        });
    }

    @Test
    void skipped_call_returns_a_completed_future_of_null() {
        inMemory(world -> {
            try (LockHandle other = world.taken()) {
                Future<String> result = world.service().skippingFuture(() -> new FutureTask<>(() -> "never"));
                assertThat(result.isDone()).isTrue();
                assertThat(result.get()).isNull();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"holdfast-result", "holdfast-release"})
    void thread_that_finds_no_room_releases_later(String thread) {
        inMemory(world -> {
            var work = new CompletableFuture<String>();
            Future<String> result;
            try (var none = NoRoomForThreads.named(thread)) {
                result = world.service().future(() -> work);
                work.complete("done");
                none.awaitRefusal();
            }

            assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("done");
            assertThat(world.isHeld()).isFalse();
        });
    }
}
