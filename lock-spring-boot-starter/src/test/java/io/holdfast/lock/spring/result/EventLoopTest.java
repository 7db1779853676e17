package io.holdfast.lock.spring.result;

import static io.holdfast.lock.spring.result.Results.KEY;
import static io.holdfast.lock.spring.result.Results.inMemory;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.stubbing.Answer;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Locked methods that are called on the only thread of an event loop. */
@Timeout(60)
class EventLoopTest {

    private final Scheduler loop = Schedulers.newSingle("event-loop");

    @AfterEach
    void close() {
        loop.dispose();
    }

    private <T> T onLoop(Callable<T> work) {
        return Mono.fromCallable(work).subscribeOn(loop).block();
    }

    @Test
    void loop_goes_on_while_a_publisher_waits_for_its_lock() {
        inMemory(world -> {
            LockHandle other = world.taken();
            var result = new CompletableFuture<String>();
            Disposable subscription = onLoop(
                    () -> world.service().waitingMono(() -> Mono.just("done")).subscribe(result::complete));
            world.awaitWaiter();

            assertThat(onLoop(() -> "the loop is free")).isEqualTo("the loop is free");
            assertThat(result).isNotDone();

            other.close();
            assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("done");
            subscription.dispose();
        });
    }

    @Test
    void loop_goes_on_while_a_stage_waits_for_its_lock() {
        inMemory(world -> {
            LockHandle other = world.taken();
            CompletableFuture<String> result =
                    onLoop(() -> world.service().stage(() -> CompletableFuture.completedFuture("done")));
            world.awaitWaiter();

            assertThat(onLoop(() -> "the loop is free")).isEqualTo("the loop is free");
            assertThat(result).isNotDone();

            other.close();
            assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("done");
            assertThat(world.isHeld()).isFalse();
        });
    }

    @Test
    void publisher_that_ends_on_the_loop_is_released_elsewhere() {
        inMemory(world -> {
            var end = new AtomicReference<Thread>();
            Mono<String> result = world.service()
                    .mono(() -> Mono.fromCallable(() -> {
                                assertThat(Schedulers.isInNonBlockingThread()).isTrue();
                                return "done";
                            })
                            .subscribeOn(loop));
            result.doOnNext(value -> end.set(Thread.currentThread())).block();
            assertThat(end.get()).isNotNull();
            assertThat(end.get().getName()).doesNotContain("event-loop");
        });
    }

    @Test
    void thread_of_netty_does_not_wait_for_a_lock() throws Exception {
        var result = new CompletableFuture<CompletableFuture<String>>();
        inMemory(world -> {
            LockHandle other = world.taken();
            new FastThreadLocalThread(() ->
                            result.complete(world.service().stage(() -> CompletableFuture.completedFuture("done"))))
                    .start();
            CompletableFuture<String> pending = result.get(30, TimeUnit.SECONDS);
            assertThat(pending).isNotDone();
            other.close();
            assertThat(pending.get(30, TimeUnit.SECONDS)).isEqualTo("done");
        });
    }

    @Test
    void ordinary_thread_runs_the_method_itself() {
        inMemory(world -> {
            var body = new AtomicReference<Thread>();
            world.service()
                    .stage(() -> {
                        body.set(Thread.currentThread());
                        return CompletableFuture.completedFuture("done");
                    })
                    .get(30, TimeUnit.SECONDS);
            assertThat(body.get()).isSameAs(Thread.currentThread());
        });
    }

    @Test
    void contention_completes_the_stage() {
        inMemory(world -> {
            try (LockHandle other = world.taken()) {
                CompletableFuture<String> result =
                        onLoop(() -> world.service().impatientStage(() -> CompletableFuture.completedFuture("never")));
                assertThatThrownBy(() -> result.get(30, TimeUnit.SECONDS))
                        .cause()
                        .isInstanceOf(LockNotAcquiredException.class)
                        .hasMessageContaining("Results.impatientStage");
            }
        });
    }

    @Test
    void skipped_stage_completes_with_null() {
        inMemory(world -> {
            try (LockHandle other = world.taken()) {
                CompletableFuture<String> result =
                        onLoop(() -> world.service().skippingStage(() -> CompletableFuture.completedFuture("never")));
                assertThat(result.get(30, TimeUnit.SECONDS)).isNull();
            }
        });
    }

    @Test
    void method_that_throws_fails_the_stage() {
        inMemory(world -> {
            CompletableFuture<String> result = onLoop(() -> world.service().stage(() -> {
                throw new IllegalArgumentException("own");
            }));
            assertThatThrownBy(() -> result.get(30, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(world.isHeld()).isFalse();
        });
    }

    @Test
    void failed_stage_fails_the_callers_stage() {
        inMemory(world -> {
            CompletableFuture<String> result =
                    onLoop(() -> world.service().stage(() -> CompletableFuture.failedFuture(new IOException("own"))));
            assertThatThrownBy(() -> result.get(30, TimeUnit.SECONDS)).cause().isInstanceOf(IOException.class);
            assertThat(world.isHeld()).isFalse();
        });
    }

    @Test
    void loss_fails_the_stage() {
        inMemory(world -> {
            var work = new CompletableFuture<String>();
            CompletableFuture<String> result = onLoop(() -> world.service().stage(() -> work));
            world.awaitHeld();
            world.others().forceRelease(KEY);
            work.complete("done");
            assertThatThrownBy(() -> result.get(30, TimeUnit.SECONDS)).cause().isInstanceOf(LockLostException.class);
        });
    }

    @Test
    void cancel_ends_the_wait() {
        inMemory(world -> {
            var calls = new AtomicInteger();
            try (LockHandle other = world.taken()) {
                CompletableFuture<String> result = onLoop(() -> world.service().stage(() -> {
                    calls.incrementAndGet();
                    return CompletableFuture.completedFuture("never");
                }));
                world.awaitWaiter();
                result.cancel(true);
                await().until(() -> world.others().inspect(KEY).waiters() == 0);
            }
            assertThat(calls).hasValue(0);
        });
    }

    @Test
    void cancel_while_held_cancels_the_work_and_releases_the_lock() {
        inMemory(world -> {
            var work = new CompletableFuture<String>();
            var started = new CompletableFuture<Void>();
            CompletableFuture<String> result = onLoop(() -> world.service().stage(() -> {
                started.complete(null);
                return work;
            }));
            started.get(30, TimeUnit.SECONDS);
            result.cancel(true);
            await().until(work::isCancelled);
            world.awaitFree();
        });
    }

    @Test
    void cancel_while_the_method_runs_cancels_the_work_that_it_returns() {
        inMemory(world -> {
            var work = new CompletableFuture<String>();
            var started = new CompletableFuture<Void>();
            var cancelled = new CompletableFuture<Void>();
            CompletableFuture<String> result = onLoop(() -> world.service().stage(() -> {
                started.complete(null);
                cancelled.join();
                return work;
            }));
            started.get(30, TimeUnit.SECONDS);
            result.cancel(true);
            cancelled.complete(null);
            await().until(work::isCancelled);
            world.awaitFree();
        });
    }

    @Test
    void missing_store_fails_the_stage() {
        Runners.partForTest().withBean(Results.class).run(context -> {
            Results service = context.getBean(Results.class);
            CompletableFuture<String> result =
                    onLoop(() -> service.stage(() -> CompletableFuture.completedFuture("never")));
            assertThatThrownBy(() -> result.get(30, TimeUnit.SECONDS)).hasMessageContaining("no LockTemplate");
        });
    }

    @Test
    void missing_store_fails_the_subscription() {
        Runners.partForTest().withBean(Results.class).run(context -> {
            Mono<String> result = context.getBean(Results.class).mono(() -> Mono.just("never"));
            assertThatThrownBy(result::block).hasMessageContaining("no LockTemplate");
        });
    }

    /** The thread of each fallback, which may block. */
    static class Fallbacks {

        final Queue<String> threads = new ConcurrentLinkedQueue<>();

        @DistributedLock(name = "fallback", fallbackMethod = "instead")
        public CompletableFuture<String> stage() {
            return CompletableFuture.completedFuture("never");
        }

        CompletableFuture<String> instead(LockStoreException failure) {
            threads.add(Thread.currentThread().getName());
            return CompletableFuture.completedFuture("instead");
        }

        @DistributedLock(name = "fallback", fallbackMethod = "monoInstead")
        public Mono<String> mono() {
            return Mono.just("never");
        }

        Mono<String> monoInstead(LockStoreException failure) {
            threads.add(Thread.currentThread().getName());
            return Mono.just("instead");
        }

        public Queue<String> threads() {
            return threads;
        }
    }

    /** A template that fails at once may do so on the caller's thread, which is the event loop. */
    private void fallsBackElsewhere(Answer<?> failing) {
        LockTemplate template = mock(LockTemplate.class, failing);
        Runners.withoutStore()
                .withBean(LockTemplate.class, () -> template)
                .withBean(Fallbacks.class)
                .run(context -> {
                    Fallbacks service = context.getBean(Fallbacks.class);
                    CompletableFuture<String> stage = onLoop(service::stage);
                    assertThat(stage.get(30, TimeUnit.SECONDS)).isEqualTo("instead");
                    assertThat(service.mono().subscribeOn(loop).block()).isEqualTo("instead");
                    assertThat(service.threads()).hasSize(2).noneMatch(name -> name.contains("event-loop"));
                });
    }

    @Test
    void fallback_of_a_store_that_throws_runs_elsewhere() {
        fallsBackElsewhere(call -> {
            throw new LockStoreException("down", null, false);
        });
    }

    @Test
    void fallback_of_a_store_that_has_failed_runs_elsewhere() {
        fallsBackElsewhere(call -> CompletableFuture.failedFuture(new LockStoreException("down", null, false)));
    }
}
