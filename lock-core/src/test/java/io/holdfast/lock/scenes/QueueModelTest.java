package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.TestRedis;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Readers, writers and those who want a permit, fair or not, wait in one queue, and are served as a plain list would. */
class QueueModelTest {

    private static final int STEPS = 300;

    private final long firstSeed = Long.getLong("model.seed", System.nanoTime());

    @Test
    void in_memory_store_serves_its_queue_like_the_model() {
        followInMemory(300);
    }

    @Test
    @Tag("full")
    void in_memory_store_serves_its_queue_like_the_model_for_long() {
        followInMemory(5_000);
    }

    private void followInMemory(int seeds) {
        long handedOver = LongStream.range(firstSeed, firstSeed + seeds)
                .map(seed -> {
                    FakeTicker time = new FakeTicker();
                    return new QueueSchedule(new InMemoryLockStore(time, time), time, seed).run(STEPS);
                })
                .sum();

        assertThat(handedOver).isGreaterThan(10L * seeds);
    }

    /** So few steps that nobody's time comes, unless the machine stands still. */
    @ParameterizedTest
    @EnumSource
    void redis_store_serves_its_queue_like_the_model(TestRedis.Client driver) throws Exception {
        AtomicInteger handedOver = new AtomicInteger();
        RedisConnectionFactory connections = driver.connect(TestRedis.shared().port());
        try (LockStore store = new RedisLockStore(connections, TestRedis.PATIENT)) {
            for (int i = 0; i < 20; i++) {
                long seed = firstSeed + i;
                RunningTime.withoutPause(
                        () -> handedOver.addAndGet(new QueueSchedule(store, null, seed).run(STEPS / 4)));
            }
        } finally {
            TestRedis.destroy(connections);
        }
        assertThat(handedOver).hasPositiveValue();
    }
}
