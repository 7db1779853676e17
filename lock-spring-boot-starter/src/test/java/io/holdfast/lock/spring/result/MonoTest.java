package io.holdfast.lock.spring.result;

import static io.holdfast.lock.spring.result.Results.KEY;
import static io.holdfast.lock.spring.result.Results.in;
import static io.holdfast.lock.spring.result.Results.inMemory;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.Runners;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

@Timeout(60)
class MonoTest {

    @Test
    void nothing_happens_before_the_subscription() {
        inMemory(world -> {
            var calls = new AtomicInteger();
            Mono<String> result = world.service().mono(() -> {
                calls.incrementAndGet();
                return Mono.just("done");
            });
            assertThat(calls).hasValue(0);
            assertThat(world.isHeld()).isFalse();
            assertThat(result.block()).isEqualTo("done");
            assertThat(calls).hasValue(1);
        });
    }

    @Test
    void method_and_its_publisher_run_under_the_lock() {
        inMemory(world -> {
            var atCall = new AtomicBoolean();
            Mono<String> result = world.service().mono(() -> {
                atCall.set(world.isHeld());
                return Mono.fromSupplier(() -> "held: " + world.isHeld());
            });
            assertThat(result.block()).isEqualTo("held: true");
            assertThat(atCall).isTrue();
        });
    }

    @Test
    void lock_is_held_until_the_publisher_ends_and_released_before_the_value_is_seen() {
        inMemory(world -> {
            Sinks.One<String> work = Sinks.one();
            var held = new AtomicBoolean(true);
            StepVerifier.create(world.service().mono(work::asMono).doOnNext(value -> held.set(world.isHeld())))
                    .then(world::awaitHeld)
                    .then(() -> work.tryEmitValue("done"))
                    .expectNext("done")
                    .verifyComplete();
            assertThat(held).isFalse();
        });
    }

    @Test
    void empty_result_stays_empty_and_ends_after_the_release() {
        inMemory(world -> {
            StepVerifier.create(world.service().mono(Mono::empty)).verifyComplete();
            assertThat(world.isHeld()).isFalse();
        });
    }

    @Test
    void failure_is_seen_after_the_release() {
        inMemory(world -> {
            var own = new IOException("own");
            var held = new AtomicBoolean(true);
            StepVerifier.create(
                            world.service().mono(() -> Mono.error(own)).doOnError(failure -> held.set(world.isHeld())))
                    .verifyErrorSatisfies(failure -> assertThat(failure).isSameAs(own));
            assertThat(held).isFalse();
        });
    }

    @Test
    void method_that_throws_fails_the_subscription() {
        inMemory(world -> {
            StepVerifier.create(world.service().mono(() -> {
                        throw new IllegalArgumentException("own");
                    }))
                    .verifyError(IllegalArgumentException.class);
            assertThat(world.isHeld()).isFalse();
        });
    }

    @Test
    void method_that_returns_null_has_an_empty_result() {
        inMemory(world -> {
            StepVerifier.create(world.service().mono(() -> null)).verifyComplete();
            assertThat(world.isHeld()).isFalse();
        });
    }

    @Test
    void cancel_while_held_releases_the_lock_and_cancels_the_work() {
        inMemory(world -> {
            TestPublisher<String> work = TestPublisher.create();
            Disposable subscription = world.service().mono(work::mono).subscribe();
            await().until(work::wasSubscribed);
            assertThat(world.isHeld()).isTrue();

            subscription.dispose();

            work.assertCancelled();
            world.awaitFree();
        });
    }

    @Test
    void cancel_while_waiting_ends_the_wait_and_leaves_nothing_behind() {
        inMemory(world -> {
            var calls = new AtomicInteger();
            try (LockHandle other = world.taken()) {
                Disposable subscription = world.service()
                        .waitingMono(() -> {
                            calls.incrementAndGet();
                            return Mono.just("never");
                        })
                        .subscribe();
                world.awaitWaiter();

                subscription.dispose();

                await().until(() -> world.others().inspect(KEY).waiters() == 0);
            }
            assertThat(world.isHeld()).isFalse();
            assertThat(calls).hasValue(0);
        });
    }

    @Test
    void subscription_waits_for_the_lock() {
        inMemory(world -> {
            LockHandle other = world.taken();
            StepVerifier.create(world.service().waitingMono(() -> Mono.just("done")))
                    .then(world::awaitWaiter)
                    .then(other::close)
                    .expectNext("done")
                    .verifyComplete();
        });
    }

    @Test
    void contention_is_an_error_of_the_subscription_that_names_the_method() {
        inMemory(world -> {
            var calls = new AtomicInteger();
            try (LockHandle other = world.taken()) {
                Mono<String> result = world.service().mono(() -> {
                    calls.incrementAndGet();
                    return Mono.just("never");
                });
                StepVerifier.create(result)
                        .verifyErrorSatisfies(failure -> assertThat(failure)
                                .isInstanceOf(LockNotAcquiredException.class)
                                .hasMessageContainingAll("'" + KEY + "'", "Results.mono"));
            }
            assertThat(calls).hasValue(0);
        });
    }

    @Test
    void skipped_subscription_is_empty() {
        inMemory(world -> {
            try (LockHandle other = world.taken()) {
                StepVerifier.create(world.service().skippingMono(() -> Mono.just("never")))
                        .verifyComplete();
            }
        });
    }

    @Test
    void contention_inside_the_work_is_not_skipped() {
        inMemory(world -> {
            try (LockHandle inner = world.others().acquire("inner")) {
                LockRequest once = LockRequest.of("inner").waitFor(Duration.ZERO);
                StepVerifier.create(world.service()
                                .skippingMono(() ->
                                        Mono.fromCallable(() -> world.locks().execute(once, () -> "never"))))
                        .verifyError(LockNotAcquiredException.class);
            }
        });
    }

    @Test
    void lost_lock_cancels_the_work_at_once() {
        in(Runners.inMemory().withPropertyValues("holdfast.lease=1s"), world -> {
            TestPublisher<String> work = TestPublisher.create();
            StepVerifier.create(world.service().mono(work::mono))
                    .then(() -> await().until(work::wasSubscribed))
                    .then(() -> world.others().forceRelease(KEY)) // the next renewal tells
                    .verifyError(LockLostException.class);
            work.assertCancelled();
        });
    }

    @Test
    void loss_that_is_found_at_release_fails_the_result() {
        inMemory(world -> {
            Sinks.One<String> work = Sinks.one();
            StepVerifier.create(world.service().mono(work::asMono))
                    .then(world::awaitHeld)
                    .then(() -> world.others().forceRelease(KEY))
                    .then(() -> work.tryEmitValue("done"))
                    .verifyError(LockLostException.class);
        });
    }

    @Test
    void loss_has_the_failure_of_the_work_inside() {
        inMemory(world -> {
            Sinks.One<String> work = Sinks.one();
            var own = new IllegalArgumentException("own");
            StepVerifier.create(world.service().mono(work::asMono))
                    .then(world::awaitHeld)
                    .then(() -> world.others().forceRelease(KEY))
                    .then(() -> work.tryEmitError(own))
                    .verifyErrorSatisfies(failure -> {
                        assertThat(failure).isInstanceOf(LockLostException.class);
                        assertThat(failure.getSuppressed()).containsOnlyOnce(own);
                    });
        });
    }

    @Test
    void loss_that_the_work_found_itself_is_told_once() {
        inMemory(world -> {
            var first = new AtomicReference<LockLostException>(); // the end may come by it, or by the news of the loss
            StepVerifier.create(world.service()
                            .mono(() -> Mono.fromCallable(() -> {
                                try (LockHandle again = world.locks().acquire(KEY)) {
                                    world.others().forceRelease(KEY);
                                    again.extend(Duration.ofSeconds(1));
                                } catch (LockLostException lost) {
                                    first.set(lost);
                                    throw lost;
                                }
                                return "never";
                            })))
                    .verifyErrorSatisfies(failure -> assertThat(failure)
                            .isInstanceOfSatisfying(LockLostException.class, lost -> {
                                assertThat(lost.fencingToken())
                                        .isEqualTo(first.get().fencingToken());
                                assertThat(lost.getSuppressed()).hasSizeLessThan(2); // of the inner handle's end
                            }));
        });
    }

    @Test
    void each_subscription_calls_the_method_under_a_lock_of_its_own() {
        inMemory(world -> {
            var calls = new AtomicInteger();
            Mono<String> result = world.service().mono(() -> {
                int call = calls.incrementAndGet();
                return call < 3
                        ? Mono.error(new IOException("try again"))
                        : Mono.fromSupplier(() -> "held at call " + call + ": " + world.isHeld());
            });
            assertThat(result.retry(5).block()).isEqualTo("held at call 3: true");
            assertThat(world.isHeld()).isFalse();
        });
    }

    @Test
    void locks_taken_while_the_publisher_is_subscribed_to_reenter_those_of_the_thread() {
        inMemory(world -> {
            Mono<String> result = world.service()
                    .mono(() -> Mono.fromCallable(() -> world.locks().execute(KEY, () -> "reentered")));
            assertThat(result.block()).isEqualTo("reentered");
        });
    }

    @Test
    void pending_work_is_no_reentry_for_the_thread_that_began_it() {
        inMemory(world -> {
            Disposable first = world.service().mono(Mono::never).subscribe();
            world.awaitHeld();
            StepVerifier.create(world.service().mono(() -> Mono.just("never")))
                    .verifyError(LockNotAcquiredException.class);
            first.dispose();
        });
    }
}
