package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.scan.WaitReport;
import io.holdfast.lock.testing.StoreSpy;
import io.holdfast.lock.threads.DaemonThreads;
import io.holdfast.lock.threads.Pause;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nothing waits inside of {@code synchronized}: on JDK 21 to 23 that would keep a virtual thread's carrier from all others. */
@Timeout(120)
class PinnedThreadsTest {

    private static final int THREADS = 8;
    private static final int ROUNDS = 20;

    private final Set<String> pinned = new ConcurrentSkipListSet<>();
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicInteger pauses = new AtomicInteger();
    private final StoreSpy store = new StoreSpy(new InMemoryLockStore()) {
        @Override
        public void recordWaits(String clientId, List<WaitReport> waits) {
            look();
            super.recordWaits(clientId, waits);
        }

        @Override
        public void connect() {
            look();
            super.connect();
        }
    };
    private final Pause pause = nanos -> {
        pauses.incrementAndGet();
        look();
        Pause.PARK.pause(Math.min(nanos, TimeUnit.MILLISECONDS.toNanos(10)));
    };
    private final LockEngine locks = engine();
    private final LockEngine others = engine();
    private final ExecutorService threads =
            Executors.newFixedThreadPool(THREADS, work -> DaemonThreads.create(work, "caller"));

    PinnedThreadsTest() {
        store.before = this::look;
        store.beforeRelease = this::look;
    }

    private LockEngine engine() {
        return LockEngine.builder(store).pause(pause).listener(event -> look()).build();
    }

    @AfterEach
    void close() {
        locks.close();
        others.close();
        threads.shutdownNow();
    }

    /** Notes which monitors of the library this thread has. */
    private void look() {
        looks.incrementAndGet();
        long[] here = {Thread.currentThread().getId()};
        MonitorInfo[] held = ManagementFactory.getThreadMXBean()
                .getThreadInfo(here, true, false)[0]
                .getLockedMonitors();
        Arrays.stream(held)
                .map(MonitorInfo::getLockedStackFrame)
                .filter(frame -> frame.getClassName().startsWith("io.holdfast."))
                .map(StackTraceElement::toString)
                .forEach(pinned::add);
    }

    private static List<LockRequest> requests() {
        return Stream.of(
                        LockRequest.of("a"),
                        LockRequest.of("b").fair(true),
                        LockRequest.of("c").shared(2),
                        LockRequest.ofAll(List.of("a", "d")).minHold(Duration.ofMillis(1)))
                .map(each -> each.waitFor(Duration.ofMinutes(1)).lease(Duration.ofSeconds(6)))
                .toList();
    }

    private void use(LockEngine locks, CountDownLatch together) throws Exception {
        together.countDown();
        together.await();
        for (int i = 0; i < ROUNDS; i++) {
            for (LockRequest request : requests()) {
                try (LockHandle handle = locks.acquire(request)) {
                    handle.extend(Duration.ofMillis(300));
                    handle.ensureHeld();
                }
            }
        }
        locks.executeAsync(requests().get(0), () -> CompletableFuture.completedFuture("done"))
                .toCompletableFuture()
                .join();
    }

    @Test
    void nobody_asks_the_store_or_pauses_or_notifies_a_listener_inside_of_synchronized() throws Exception {
        CountDownLatch together = new CountDownLatch(THREADS);
        List<Future<?>> all = IntStream.range(0, THREADS)
                .<Future<?>>mapToObj(i -> threads.submit(() -> {
                    use(i % 2 == 0 ? locks : others, together);
                    return null;
                }))
                .toList();
        for (Future<?> each : all) {
            each.get();
        }

        assertThat(pauses).hasPositiveValue();
        assertThat(store.polls).isNotEmpty();
        assertThat(looks).hasValueGreaterThan(THREADS * ROUNDS);
        assertThat(pinned).isEmpty();
    }

    @Test
    void waits_of_callers_that_hold_other_locks_are_recorded_outside_of_synchronized() throws Exception {
        LockHandle held = others.acquire(LockRequest.of("inner"));
        LockRequest patient = LockRequest.of("inner").waitFor(Duration.ofMinutes(1));
        LockRequest hasty = LockRequest.of("inner").waitFor(Duration.ofMillis(1));
        Future<?> granted = threads.submit(() -> inside("outer", patient));
        Future<?> timedOut = threads.submit(() -> inside("another", hasty));
        assertThatThrownBy(timedOut::get).hasCauseInstanceOf(LockNotAcquiredException.class);
        Awaitility.await().until(() -> !store.waitRecords.isEmpty());
        held.close();
        granted.get();

        assertThat(pinned).isEmpty();
    }

    @Test
    void store_connects_again_after_a_checkpoint_outside_of_synchronized() throws Exception {
        locks.suspend(Duration.ofMinutes(1));
        locks.resume();
        locks.acquire("a").close();

        assertThat(looks).hasPositiveValue();
        assertThat(pinned).isEmpty();
    }

    private void inside(String outer, LockRequest inner) {
        try (LockHandle first = locks.acquire(LockRequest.of(outer));
                LockHandle second = locks.acquire(inner)) {
            first.ensureHeld();
            second.ensureHeld();
        }
    }
}
