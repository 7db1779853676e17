package io.holdfast.lock.sample.race;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import java.time.Duration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Sells one item as so many services do: read the stock, think, write it back. Two who read the same number sell the
 * same item. The code is the same with the lock and without.
 */
@Component
class Counter {

    private final LockTemplate locks;
    private final JdbcClient jdbc;
    private final Thinking thinking;

    Counter(LockTemplate locks, JdbcClient jdbc, Thinking thinking) {
        this.locks = locks;
        this.jdbc = jdbc;
        this.thinking = thinking;
    }

    /**
     * @param waited how long the lock was waited for; none if the race is run without it
     */
    record Attempt(boolean sold, Waits waited) {}

    Attempt sellOne(Race race, String instance) throws InterruptedException {
        if (!race.locked()) {
            return new Attempt(readThinkWrite(race.id(), instance), Waits.NONE);
        }
        long start = System.nanoTime();
        LockRequest request = LockRequest.of("race:" + race.id()).waitFor(Duration.ofSeconds(30));
        try (LockHandle lock = locks.acquire(request)) {
            Waits waited = Waits.of(System.nanoTime() - start);
            boolean sold = readThinkWrite(race.id(), instance);
            lock.ensureHeld();
            return new Attempt(sold, waited);
        }
    }

    private boolean readThinkWrite(long race, String instance) throws InterruptedException {
        int remaining = jdbc.sql("SELECT remaining FROM race WHERE id = ?")
                .param(race)
                .query(Integer.class)
                .single();
        if (remaining <= 0) {
            return false;
        }
        thinking.pause();
        jdbc.sql("UPDATE race SET remaining = ? WHERE id = ?")
                .params(remaining - 1, race)
                .update();
        jdbc.sql("INSERT INTO sale (race_id, instance_id) VALUES (?, ?)")
                .params(race, instance)
                .update();
        return true;
    }
}
