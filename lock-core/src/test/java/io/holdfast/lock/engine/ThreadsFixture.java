package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.threads.DaemonThreads;
import io.holdfast.lock.threads.Pause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;

/** Two clients with many threads each, on a store in memory, and on a time that passes only when the test says so. */
abstract class ThreadsFixture {

    static final String KEY = "order:42";
    static final LockRequest REQUEST = LockRequest.of(KEY).waitFor(Duration.ofMinutes(10));
    private static final long LOOK_AT_THE_CLOCK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    final FakeTicker time = new FakeTicker();
    final StoreSpy store = store(new InMemoryLockStore(time, time));
    private final Set<Thread> pausing = ConcurrentHashMap.newKeySet();
    private final List<Worker> workers = new ArrayList<>();
    final LockEngine locks = engine();
    final LockEngine others = engine();
    final LockEngine thirds = engine();

    StoreSpy store(InMemoryLockStore memory) {
        return new StoreSpy(memory);
    }

    private LockEngine engine() {
        return LockEngine.builder(store)
                .ticker(this::nanos)
                .pause(pause())
                .listeners(() -> List.of(listener()))
                .build();
    }

    /** The clock of all clients. */
    long nanos() {
        return time.nanos();
    }

    /** Hears the events of all clients. */
    LockListener listener() {
        return event -> {};
    }

    private Pause pause() {
        return nanos -> {
            pausing.add(Thread.currentThread());
            try {
                Pause.PARK.pause(Math.min(nanos, LOOK_AT_THE_CLOCK_NANOS));
            } finally {
                pausing.remove(Thread.currentThread());
                paused();
            }
        };
    }

    /** Called by each thread that waits, about every millisecond. */
    void paused() {}

    @AfterEach
    final void close() {
        Thread.interrupted();
        store.reachable(true);
        locks.close();
        others.close();
        thirds.close();
        workers.forEach(Worker::stop);
    }

    /** A thread that acquires locks. */
    static final class Worker {
        private final ExecutorService executor;
        private final Thread thread;
        private volatile boolean interrupted;

        private Worker() {
            executor = Executors.newSingleThreadExecutor(work -> DaemonThreads.create(work, "worker"));
            thread = get(executor.submit(Thread::currentThread));
        }

        Future<LockHandle> acquire(LockEngine client, LockRequest request) {
            return executor.submit(() -> {
                try {
                    return client.acquire(request);
                } finally {
                    interrupted = Thread.interrupted();
                }
            });
        }

        /** Whether the interrupt flag was set when the last acquisition ended. */
        boolean keptInterrupt() {
            return interrupted;
        }

        void interrupt() {
            thread.interrupt();
        }

        Thread thread() {
            return thread;
        }

        private void stop() {
            executor.shutdownNow();
        }
    }

    final Worker worker() {
        Worker worker = new Worker();
        workers.add(worker);
        return worker;
    }

    /** Another thread that waits for the lock now, behind those that waited before. */
    final Future<LockHandle> waiting(LockEngine client, LockRequest request) {
        return waiting(worker(), client, request);
    }

    final Future<LockHandle> waiting(Worker worker, LockEngine client, LockRequest request) {
        Future<LockHandle> handle = worker.acquire(client, request);
        eventually(() -> pausing.contains(worker.thread()) || handle.isDone());
        return handle;
    }

    static void eventually(Callable<Boolean> condition) {
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofMinutes(1))
                .until(condition);
    }

    static <T> T get(Future<T> future) {
        try {
            return future.get(1, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static Throwable failure(Future<?> future) {
        try {
            future.get(1, TimeUnit.MINUTES);
            throw new AssertionError("It succeeded");
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    final boolean isFree() {
        return store.inspect(LockKey.of(KEY)).holder().isEmpty();
    }

    final int waiters() {
        return StepsFixture.queueLength(store, LockKey.of(KEY));
    }

    final void passMicro() {
        time.pass(Duration.ofNanos(1000));
    }
}
