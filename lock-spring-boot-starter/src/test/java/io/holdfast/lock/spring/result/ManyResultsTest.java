package io.holdfast.lock.spring.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Results that are there all at the same time: a store has no connection for each of them. */
@Timeout(120)
class ManyResultsTest {

    private static final int MANY = 100;

    static class Service {

        @DistributedLock(key = "'order:' + #id")
        public CompletableFuture<Integer> pay(int id, Supplier<CompletableFuture<Integer>> work) {
            return work.get();
        }
    }

    /** How many locks are given back at a time, at the most. */
    static class Releases implements LockListener {
        private final AtomicInteger now = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        @Override
        public void onEvent(LockEvent event) {
            if (event instanceof LockEvent.Released) {
                most.accumulateAndGet(now.incrementAndGet(), Math::max);
                LockSupport.parkNanos(1_000_000);
                now.decrementAndGet();
            }
        }
    }

    @Test
    void few_threads_give_the_locks_back() {
        Runners.inMemory().withBean(Service.class).withBean(Releases.class).run(context -> {
            Service service = context.getBean(Service.class);
            var stage = new CompletableFuture<Integer>();
            List<CompletableFuture<Integer>> results = IntStream.range(0, MANY)
                    .mapToObj(id -> service.pay(id, () -> stage))
                    .toList();

            stage.complete(1);

            CompletableFuture.allOf(results.toArray(CompletableFuture[]::new)).join();
            assertThat(context.getBean(Releases.class).most).hasValueBetween(1, 8);
        });
    }

    @Test
    void those_who_go_on_with_the_results_may_block() {
        Runners.inMemory().withBean(Service.class).run(context -> {
            Service service = context.getBean(Service.class);
            var stage = new CompletableFuture<Integer>();
            var blocking = new CountDownLatch(MANY);
            var end = new CountDownLatch(1);
            for (int id = 0; id < MANY; id++) {
                service.pay(id, () -> stage).thenAccept(value -> {
                    blocking.countDown();
                    await(end);
                });
            }
            stage.complete(1);
            await(blocking);

            assertThat(service.pay(MANY, () -> CompletableFuture.completedFuture(2))
                            .join())
                    .isEqualTo(2);
            end.countDown();
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
