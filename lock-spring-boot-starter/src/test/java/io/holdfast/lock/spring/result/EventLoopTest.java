package io.holdfast.lock.spring.result;

import static io.holdfast.lock.spring.result.Results.inMemory;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
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
    void stage_is_refused_on_the_loop_and_offers_a_mono() {
        inMemory(world -> {
            var calls = new AtomicInteger();
            assertThatThrownBy(() -> onLoop(() -> world.service().stage(() -> {
                        calls.incrementAndGet();
                        return CompletableFuture.completedFuture("never");
                    })))
                    .hasMessageContainingAll("Results.stage would wait for its lock on event-loop", "Return a Mono");
            assertThat(calls).hasValue(0);
            assertThat(world.isHeld()).isFalse();
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
    void missing_store_fails_the_subscription() {
        Runners.partForTest().withBean(Results.class).run(context -> {
            Mono<String> result = context.getBean(Results.class).mono(() -> Mono.just("never"));
            assertThatThrownBy(result::block)
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("no LockTemplate");
        });
    }

    /** The thread of each fallback, which may block. */
    static class Fallbacks {

        final Queue<String> threads = new ConcurrentLinkedQueue<>();

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
                    assertThat(service.mono().subscribeOn(loop).block()).isEqualTo("instead");
                    assertThat(service.threads()).hasSize(1).noneMatch(name -> name.contains("event-loop"));
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
