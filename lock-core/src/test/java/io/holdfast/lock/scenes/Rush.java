package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockException;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.history.Check;
import io.holdfast.lock.history.Event;
import io.holdfast.lock.history.History;
import io.holdfast.lock.history.Recorder;
import io.holdfast.lock.history.Violation;
import io.holdfast.lock.testing.RunningTime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Threads of several clients that take one lock in turns, while something is done to Redis. They record what they do, and
 * count their turns by reading and writing, so two of them at a time lose one. Failures are recorded and end nothing.
 */
final class Rush implements AutoCloseable {

    private static final int THREADS_OF_EACH = 2;
    private static final long AFTER_FAILURE_NANOS = 10_000_000;

    /** Without it the records would be long. */
    private static final long BETWEEN_TURNS_NANOS = 1_000_000;

    private final LockRequest request;
    private final Path directory;
    private final List<CompletableFuture<Void>> threads;
    private final AtomicIntegerArray turns;
    private final List<LockException> failures = new CopyOnWriteArrayList<>();
    private final AtomicLong handles = new AtomicLong();
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger intrusions = new AtomicInteger();
    private final AtomicLong counted = new AtomicLong();
    private volatile Duration lastTurn = RunningTime.now();
    private volatile Duration longestGap = Duration.ZERO;
    private volatile boolean over;

    /** @param directory for the records; empty */
    Rush(Clients clients, LockRequest request, Path directory) {
        this.request = request;
        this.directory = directory;
        this.turns = new AtomicIntegerArray(clients.size() * THREADS_OF_EACH);
        this.threads = IntStream.range(0, turns.length())
                .mapToObj(thread -> clients.async(thread % clients.size(), locks -> {
                    run(thread, locks);
                    return (Void) null;
                }))
                .toList();
    }

    private void run(int thread, LockEngine locks) {
        try (Recorder recorder = new Recorder(directory.resolve("thread-" + thread))) {
            while (!over) {
                long handle = handles.incrementAndGet();
                recorder.add(new Event.Invoked(handle, "lock", 0, System.nanoTime()));
                try (LockHandle held = locks.acquire(request)) {
                    recorder.add(new Event.Granted(
                            handle, handle, held.fencingToken(request.keys().get(0)), System.nanoTime()));
                    sample(recorder, handle, held);
                    takeTurn(thread);
                    sample(recorder, handle, held);
                } catch (LockException e) {
                    failures.add(e);
                    recorder.add(new Event.Failed(handle, e.getClass().getSimpleName(), System.nanoTime()));
                    LockSupport.parkNanos(AFTER_FAILURE_NANOS);
                }
                LockSupport.parkNanos(BETWEEN_TURNS_NANOS);
            }
        }
    }

    private static void sample(Recorder recorder, long handle, LockHandle held) {
        long before = System.nanoTime();
        boolean isHeld = held.isHeld();
        recorder.add(new Event.Sampled(handle, before, System.nanoTime(), isHeld));
    }

    private void takeTurn(int thread) {
        Duration gap = RunningTime.now().minus(lastTurn);
        longestGap = gap.compareTo(longestGap) > 0 ? gap : longestGap;
        if (inside.incrementAndGet() != 1) {
            intrusions.incrementAndGet();
        }
        long before = counted.get();
        Thread.yield();
        counted.set(before + 1);
        turns.incrementAndGet(thread);
        lastTurn = RunningTime.now();
        inside.decrementAndGet();
    }

    /** Waits until every thread has had so many turns more; nobody is stuck, and nobody is left out. */
    void awaitTurnsOfAll(int more) {
        int[] before = turns();
        Clients.await(() -> {
            int[] now = turns();
            threads.stream().filter(CompletableFuture::isCompletedExceptionally).forEach(CompletableFuture::join);
            return IntStream.range(0, now.length).allMatch(thread -> now[thread] - before[thread] >= more);
        });
    }

    private int[] turns() {
        return IntStream.range(0, turns.length()).map(turns::get).toArray();
    }

    /** How long the lock was free, at most, while others waited for it. */
    Duration longestGap() {
        return longestGap;
    }

    List<LockException> failures() {
        return failures;
    }

    /** Ends it, and looks for broken promises. */
    void assertSound() throws IOException {
        close();
        assertThat(intrusions).as("turns while somebody else had one").hasValue(0);
        assertThat(counted)
                .as("turns by their own count")
                .hasValue(IntStream.of(turns()).sum());
        assertThat(Check.violations(History.read(directory))).isEmpty();
    }

    /**
     * Ends it, and looks for broken promises but that of exclusion: a server that takes another one's place may not know who
     * holds the lock.
     */
    void assertTokensIncrease() throws IOException {
        close();
        assertThat(Check.violations(History.read(directory)))
                .filteredOn(violation -> violation.promise() != Violation.Promise.EXCLUSION)
                .isEmpty();
    }

    @Override
    public void close() {
        over = true;
        threads.forEach(CompletableFuture::join);
    }
}
