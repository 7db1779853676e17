package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.TestRedis;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Many more threads than carriers and connections wait for locks on a real Redis, and all get on. */
@ParameterizedClass
@EnumSource(TestRedis.Client.class)
class VirtualThreadsTest {

    private static final int FIRST_JAVA_WITH_VIRTUAL_THREADS = 21;
    private static final int THREADS = 10_000;
    private static final int LOCKS = 100;
    private static final long GENEROUS_SECONDS = 120;

    @Parameter
    private TestRedis.Client client;

    private final String prefix = "virtual:" + UUID.randomUUID() + ':';
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    /** Each is guarded by its lock alone. */
    private final int[] entries = new int[LOCKS];

    @Test
    void ten_thousand_virtual_threads_get_a_hundred_locks_each_in_its_turn() throws Exception {
        int java = Runtime.version().feature();
        assumeTrue(
                java >= FIRST_JAVA_WITH_VIRTUAL_THREADS,
                "Java " + java + " has no virtual threads; this test needs Java " + FIRST_JAVA_WITH_VIRTUAL_THREADS);
        CountDownLatch running = new CountDownLatch(THREADS);
        // All start at once on a few carriers, so whoever has a pooled connection may stand still while others run.
        try (RedisLockStore store =
                        new RedisLockStore(client.connect(TestRedis.shared().port()), TestRedis.PATIENT);
                LockEngine locks = LockEngine.builder(store).build()) {
            for (int i = 0; i < THREADS; i++) {
                int number = i % LOCKS;
                startVirtualThread(() -> enter(locks, number, running));
            }
            assertThat(running.await(GENEROUS_SECONDS, TimeUnit.SECONDS)).isTrue();

            assertThat(failures).isEmpty();
            assertThat(entries).containsOnly(THREADS / LOCKS);
            assertThat(locks.held()).isEmpty();
            assertThat(locks.inspect(prefix + 0).holders()).isEmpty();
        }
    }

    private void enter(LockEngine locks, int number, CountDownLatch running) {
        LockRequest request = LockRequest.of(prefix + number).waitFor(Duration.ofSeconds(GENEROUS_SECONDS));
        try (LockHandle handle = locks.acquire(request)) {
            handle.ensureHeld();
            entries[number]++;
        } catch (RuntimeException | Error e) {
            failures.add(e);
        } finally {
            running.countDown();
        }
    }

    /** The tests are compiled for a Java that does not know it. */
    private static void startVirtualThread(Runnable task) throws ReflectiveOperationException {
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        start.invoke(null, task);
    }
}
