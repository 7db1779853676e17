package io.holdfast.lock.spring.result;

import static io.holdfast.lock.spring.result.Results.KEY;
import static io.holdfast.lock.spring.result.Results.in;
import static io.holdfast.lock.spring.result.Results.inMemory;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.spring.Runners;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

@Timeout(60)
class FluxTest {

    @Test
    void values_pass_while_the_lock_is_held_and_the_end_after_it_was_released() {
        inMemory(world -> {
            List<Boolean> held = new CopyOnWriteArrayList<>();
            var atEnd = new AtomicBoolean(true);
            StepVerifier.create(world.service()
                            .flux(() -> Flux.range(1, 3))
                            .doOnNext(value -> held.add(world.isHeld()))
                            .doOnComplete(() -> atEnd.set(world.isHeld())))
                    .expectNext(1, 2, 3)
                    .verifyComplete();
            assertThat(held).containsExactly(true, true, true);
            assertThat(atEnd).isFalse();
        });
    }

    @Test
    void failure_is_seen_after_the_release() {
        inMemory(world -> {
            var atEnd = new AtomicBoolean(true);
            StepVerifier.create(world.service()
                            .flux(() -> Flux.just(1).concatWith(Flux.error(new IOException("own"))))
                            .doOnError(failure -> atEnd.set(world.isHeld())))
                    .expectNext(1)
                    .verifyError(IOException.class);
            assertThat(atEnd).isFalse();
        });
    }

    @Test
    void no_more_is_asked_of_the_work_than_the_subscriber_asks_for() {
        inMemory(world -> {
            var emitted = new AtomicInteger();
            StepVerifier.create(
                            world.service()
                                    .flux(() -> Flux.fromStream(
                                                    IntStream.range(0, 1000).boxed())
                                            .doOnNext(value -> emitted.incrementAndGet())),
                            0)
                    .then(world::awaitHeld)
                    .thenRequest(3)
                    .expectNext(0, 1, 2)
                    .then(() -> assertThat(emitted).hasValue(3))
                    .thenCancel()
                    .verify();
            world.awaitFree();
        });
    }

    @Test
    void subscriber_that_takes_some_values_and_cancels_releases_the_lock() {
        inMemory(world -> {
            TestPublisher<Integer> work = TestPublisher.create();
            StepVerifier.create(world.service().flux(work::flux).take(2))
                    .then(() -> await().until(work::wasSubscribed))
                    .then(() -> work.next(1, 2))
                    .expectNext(1, 2)
                    .verifyComplete();
            work.assertCancelled();
            world.awaitFree();
        });
    }

    @Test
    void lost_lock_ends_an_endless_stream() {
        in(Runners.inMemory().withPropertyValues("holdfast.lease=6s"), world -> {
            TestPublisher<Integer> work = TestPublisher.create();
            StepVerifier.create(world.service().flux(work::flux))
                    .then(() -> await().until(work::wasSubscribed))
                    .then(() -> work.next(1))
                    .expectNext(1)
                    .then(() -> world.others().forceRelease(KEY))
                    .verifyErrorSatisfies(failure -> {
                        assertThat(failure).isInstanceOf(LockLostException.class);
                        assertThat(failure.getSuppressed()).isEmpty();
                    });
            work.assertCancelled();
        });
    }

    @Test
    void contention_fails_the_subscription() {
        inMemory(world -> {
            try (LockHandle other = world.taken()) {
                StepVerifier.create(world.service().flux(() -> Flux.just(1)))
                        .verifyError(LockNotAcquiredException.class);
            }
        });
    }

    @Test
    void skipped_subscription_is_empty() {
        inMemory(world -> {
            try (LockHandle other = world.taken()) {
                StepVerifier.create(world.service().skippingFlux(() -> Flux.just(1)))
                        .verifyComplete();
            }
        });
    }

    @Test
    void repetition_locks_anew() {
        inMemory(world -> {
            var calls = new AtomicInteger();
            StepVerifier.create(world.service()
                            .flux(() -> Flux.just(calls.incrementAndGet()))
                            .repeat(2))
                    .expectNext(1, 2, 3)
                    .verifyComplete();
        });
    }

    @Test
    void concurrent_subscriptions_of_one_result_exclude_each_other() {
        inMemory(world -> {
            Flux<Integer> one = world.service().flux(() -> Flux.just(1).concatWith(Flux.never()));
            StepVerifier.create(one)
                    .expectNext(1)
                    .then(() -> StepVerifier.create(one).verifyError(LockNotAcquiredException.class))
                    .thenCancel()
                    .verify();
        });
    }
}
