package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.threads.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a store that fails gets from a client with a thousand waiters. */
@Timeout(120)
class SickStoreTest {

    private static final int WAITERS = 1000;
    private static final String KEY = "order:42";
    private static final LockRequest LINE = LockRequest.of(KEY).waitFor(Duration.ofDays(1));

    /** Until each kind of call has come to its longest rest. */
    private static final int AT_FIRST = 25;

    /** Entries, the first of those who ask again, and what is tidied: each once in half a second or more. */
    private static final int IN_A_SECOND = 6;

    private final StoreSpy store = new StoreSpy(new InMemoryLockStore());
    private final LockEngine locks = LockEngine.builder(store).build();
    private final ExecutorService waiters =
            Executors.newFixedThreadPool(WAITERS, work -> DaemonThreads.create(work, "waiter"));
    private final AtomicInteger acquired = new AtomicInteger();
    private final AtomicInteger commands = new AtomicInteger();

    @AfterEach
    void close() {
        store.reachable(true);
        locks.close();
        waiters.shutdownNow();
    }

    private void acquireAndRelease(LockRequest request) {
        waiters.execute(() -> locks.execute(request, acquired::incrementAndGet));
    }

    private static long libraryThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("holdfast-"))
                .count();
    }

    private void failFor(Duration time) throws InterruptedException {
        store.before = () -> {
            commands.incrementAndGet();
            throw StoreSpy.unreachable();
        };
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }

    @Test
    void client_with_a_thousand_waiters_sends_a_failing_store_a_few_commands_a_second() throws Exception {
        LockHandle holder = locks.acquire(LockRequest.of(KEY).lease(Duration.ofHours(1)));
        for (int i = 0; i < WAITERS / 2; i++) {
            acquireAndRelease(LINE);
            acquireAndRelease(LINE.fair(true));
        }
        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .until(() ->
                        locks.waiting().size() == WAITERS && locks.inspect(KEY).waiters() >= WAITERS / 2);
        long threads = libraryThreads();

        long start = System.nanoTime();
        failFor(Duration.ofSeconds(1));
        holder.close(); // is not answered; the first of the line asks, and is not answered either
        failFor(Duration.ofMillis(1500));
        int sent = commands.get();
        double seconds = (System.nanoTime() - start) / 1e9;

        assertThat(sent).isBetween(3, (int) (AT_FIRST + seconds * IN_A_SECOND));
        assertThat(libraryThreads()).isLessThanOrEqualTo(threads + 1); // lock-cleanup
        assertThat(acquired).hasValue(0);
        assertThat(store.inspect(LockKey.of(KEY)).holder()).isPresent();

        store.reachable(true);

        Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> acquired.get() == WAITERS);
        assertThat(locks.waiting()).isEmpty();
    }
}
