package io.holdfast.lock.sample.race;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;
import org.springframework.util.StringUtils;

/** One instance's part of a race: its workers sell until there is nothing left. */
@Component
class Selling {

    private static final Logger log = LoggerFactory.getLogger(Selling.class);
    /** Without the lock a late worker can write back an old stock; this limit ends even a very unlucky race. */
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private static final int PAUSED_ATTEMPT = 2;
    private static final int FAILURE_LENGTH = 400;

    private final Counter counter;

    Selling(Counter counter) {
        this.counter = counter;
    }

    /**
     * @param waits how many times a worker waited for the lock
     * @param failure why a worker stopped early; empty if none did
     */
    record Tally(long waits, long waitedNanos, long maxWaitNanos, long elapsedNanos, String failure) {}

    Tally run(Race race, String instance) throws InterruptedException {
        long start = System.nanoTime();
        LongSummaryStatistics waits = new LongSummaryStatistics();
        String failure = "";
        ExecutorService workers = Executors.newFixedThreadPool(race.workers());
        try {
            List<Callable<LongSummaryStatistics>> all = new ArrayList<>();
            for (int i = 0; i < race.workers(); i++) {
                boolean pauses = race.pause() && i == 0;
                all.add(() -> sellUntilGone(race, instance, start, pauses));
            }
            for (Future<LongSummaryStatistics> worker : workers.invokeAll(all)) {
                waits.combine(worker.get());
            }
        } catch (ExecutionException e) {
            log.warn("A worker stopped early", e.getCause());
            failure = StringUtils.truncate(String.valueOf(e.getCause()), FAILURE_LENGTH);
        } finally {
            workers.shutdown();
        }
        long elapsed = System.nanoTime() - start;
        return new Tally(waits.getCount(), waits.getSum(), Math.max(0, waits.getMax()), elapsed, failure);
    }

    private LongSummaryStatistics sellUntilGone(Race race, String instance, long start, boolean pauses)
            throws InterruptedException {
        LongSummaryStatistics waits = new LongSummaryStatistics();
        for (int n = 0; System.nanoTime() - start < LIMIT.toNanos(); n++) {
            if (!counter.sellOne(race, instance, pauses && n == PAUSED_ATTEMPT, waits)) {
                return waits;
            }
        }
        throw new IllegalStateException("The race was not over after " + LIMIT.toSeconds() + " s");
    }
}
