package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.testing.RunningTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Threads of several clients that get one lock again and again, until it was visited often enough. The visits are counted
 * by reading and writing, so two visitors at a time lose one. As there is always somebody who wants the lock, the time
 * from when it comes free to the next visit is what a lost wakeup would make long.
 */
final class Contest {

    /**
     * The lock promises 4 s, and its test on virtual time holds it to that exactly. Here the threads and processes of one
     * machine wait for each other too, and on a busy one that adds up. A wakeup that is lost for good takes as long as a
     * waiter's patience, and dead waiters that are missed one by one take more than this in a row of eight. Counted in
     * {@link RunningTime}.
     */
    static final Duration MAX_GAP = Duration.ofSeconds(10);

    private final int target;
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger visits = new AtomicInteger();
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong intrusions = new AtomicLong();
    private final AtomicReference<Duration> freeSince = new AtomicReference<>(RunningTime.now());
    private final AtomicReference<Duration> longestGap = new AtomicReference<>(Duration.ZERO);

    Contest(int target) {
        this.target = target;
    }

    /** One thread's way to a visit. */
    @FunctionalInterface
    interface Attempt {
        void run(LockEngine locks) throws InterruptedException;
    }

    boolean isOver() {
        return visits.get() >= target;
    }

    int visits() {
        return visits.get();
    }

    /** What is done under the lock. */
    void visit() {
        visit(() -> {});
    }

    void visit(Runnable work) {
        Duration gap = RunningTime.now().minus(freeSince.get());
        longestGap.accumulateAndGet(gap, (one, other) -> one.compareTo(other) > 0 ? one : other);
        if (inside.incrementAndGet() != 1) {
            intrusions.incrementAndGet();
        }
        long before = count.get();
        Thread.yield();
        work.run();
        count.set(before + 1);
        visits.incrementAndGet();
        inside.decrementAndGet();
        freeIn(Duration.ZERO);
    }

    /** Whoever has the lock gives it back, or dies and leaves it to its lease. */
    void freeIn(Duration time) {
        freeSince.set(RunningTime.now().plus(time));
    }

    /** Runs the threads to the end; the first that fails ends it. */
    void run(Clients clients, int threadsOfEach, Attempt attempt) {
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int i = 0; i < clients.size() * threadsOfEach; i++) {
            running.add(clients.async(i % clients.size(), locks -> {
                repeat(locks, attempt);
                return null;
            }));
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(running.toArray(CompletableFuture[]::new));
        running.forEach(one -> one.whenComplete((nothing, failure) -> {
            if (failure != null) {
                all.completeExceptionally(failure);
            }
        }));
        all.join();
    }

    private void repeat(LockEngine locks, Attempt attempt) {
        try {
            while (!isOver()) {
                attempt.run(locks);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("Interrupted by nobody", e);
        }
    }

    void assertSound() {
        assertThat(intrusions).as("visitors who were not alone").hasValue(0);
        assertThat(count).as("visits by their own count").hasValue(visits.get());
        assertThat(longestGap.get())
                .as("longest time for which a free lock was left to nobody")
                .isLessThanOrEqualTo(MAX_GAP);
    }
}
