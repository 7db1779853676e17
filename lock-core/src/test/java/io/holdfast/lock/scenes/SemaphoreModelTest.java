package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** As many as there are permits, and not one more. */
class SemaphoreModelTest extends SharingModelScenes {

    private static final int PERMITS = 3;

    private final String key = "semaphore:" + UUID.randomUUID();
    private final LockRequest permit = LockRequest.of(key).shared(PERMITS).waitFor(Duration.ofMinutes(1));

    /** Now and then somebody wants it alone, or goes by another limit. */
    @Override
    void follow(SharingSchedule schedule) {
        int together = schedule.run(STEPS, random -> request -> switch (random.nextInt(10)) {
            case 0 -> request;
            case 1 -> request.shared(1);
            default -> request.shared(PERMITS);
        });

        assertThat(together).isEqualTo(PERMITS);
    }

    @ParameterizedTest
    @EnumSource
    void permits_are_never_more_than_there_are(TestRedis.Client driver) {
        int visits = 400;
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger visited = new AtomicInteger();
        try (Clients clients = Clients.open(3, driver, TestRedis.shared().port())) {
            List<CompletableFuture<Void>> running = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                running.add(clients.async(i % 3, locks -> {
                    while (visited.incrementAndGet() <= visits) {
                        try (LockHandle handle = locks.acquire(permit)) {
                            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                            stayUntilFull(inside);
                            most.accumulateAndGet(inside.getAndDecrement(), Math::max);
                        }
                    }
                    return null;
                }));
            }
            running.forEach(CompletableFuture::join);
            clients.awaitNothingLeft(key);
        }
        assertThat(most).hasValue(PERMITS);
    }

    /** Or for a while: the last ones are not joined by others. */
    private static void stayUntilFull(AtomicInteger inside) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20);
        do {
            LockSupport.parkNanos(100_000);
        } while (inside.get() < PERMITS && System.nanoTime() - end < 0);
    }

    /** Nobody leaves before there are as many as there are permits. */
    @ParameterizedTest
    @EnumSource
    void all_permits_are_given_out_to_those_who_wait(TestRedis.Client driver) {
        int visits = 40 * PERMITS;
        AtomicInteger visited = new AtomicInteger();
        CyclicBarrier together = new CyclicBarrier(PERMITS);
        try (Clients clients = Clients.open(3, driver, TestRedis.shared().port())) {
            List<CompletableFuture<Void>> running = new ArrayList<>();
            for (int i = 0; i < 2 * PERMITS; i++) {
                running.add(clients.async(i % 3, locks -> {
                    while (visited.incrementAndGet() <= visits) {
                        try (LockHandle handle = locks.acquire(permit)) {
                            together.await(1, TimeUnit.MINUTES);
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    }
                    return null;
                }));
            }
            running.forEach(CompletableFuture::join);
            clients.awaitNothingLeft(key);
        }
    }
}
