package io.holdfast.lock.sample.race;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** One instance's part of a race: its workers sell until there is nothing left. */
@Component
class Selling {

    private static final Logger log = LoggerFactory.getLogger(Selling.class);
    /** Without the lock a late worker can write an old stock back; this ends even a very unlucky race. */
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private static final int PAUSED_ATTEMPT = 2;
    private static final int NEVER = -1;
    private static final int FAILURE_LENGTH = 500;

    private final Counter counter;

    Selling(Counter counter) {
        this.counter = counter;
    }

    /**
     * @param failure why a worker stopped early; empty if none did
     */
    record Tally(Waits waits, long elapsedNanos, String failure) {}

    Tally run(Race race, String instance) throws InterruptedException {
        long start = System.nanoTime();
        ExecutorService workers = Executors.newFixedThreadPool(race.workers());
        try {
            List<Callable<Waits>> all = new ArrayList<>();
            for (int i = 0; i < race.workers(); i++) {
                int paused = race.pause() && i == 0 ? PAUSED_ATTEMPT : NEVER;
                all.add(() -> sellUntilGone(race, instance, start, paused));
            }
            return tally(workers.invokeAll(all), start);
        } finally {
            workers.shutdown();
        }
    }

    private Waits sellUntilGone(Race race, String instance, long start, int paused) throws InterruptedException {
        Waits waits = Waits.NONE;
        for (int n = 0; System.nanoTime() - start < LIMIT.toNanos(); n++) {
            Counter.Attempt attempt =
                    n == paused ? counter.sellOneLate(race, instance) : counter.sellOne(race, instance);
            waits = waits.and(attempt.waited());
            if (attempt.outcome() == Counter.Outcome.SOLD_OUT) {
                return waits;
            }
        }
        throw new IllegalStateException("The race was not over after " + LIMIT.toSeconds() + " s");
    }

    private static Tally tally(List<Future<Waits>> finished, long start) throws InterruptedException {
        Waits waits = Waits.NONE;
        String failure = "";
        for (Future<Waits> worker : finished) {
            try {
                waits = waits.and(worker.get());
            } catch (ExecutionException e) {
                log.warn("A worker stopped early", e.getCause());
                failure = String.valueOf(e.getCause());
            }
        }
        return new Tally(waits, System.nanoTime() - start, shortened(failure));
    }

    private static String shortened(String text) {
        return text.length() <= FAILURE_LENGTH ? text : text.substring(0, FAILURE_LENGTH);
    }
}
