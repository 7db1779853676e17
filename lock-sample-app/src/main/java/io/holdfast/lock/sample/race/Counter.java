package io.holdfast.lock.sample.race;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
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

    private static final long NO_TOKEN = 0;
    private static final Duration SHORT_LEASE = Duration.ofMillis(300);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    private static final long PAUSE_MILLIS = 500;

    private final LockTemplate locks;
    private final JdbcClient jdbc;
    private final Thinking thinking;

    Counter(LockTemplate locks, JdbcClient jdbc, Thinking thinking) {
        this.locks = locks;
        this.jdbc = jdbc;
        this.thinking = thinking;
    }

    enum Outcome {
        SOLD,
        /** Somebody with a newer lock has written since. */
        REFUSED,
        SOLD_OUT
    }

    /**
     * @param waited how long the lock was waited for; none if the race is run without it
     */
    record Attempt(Outcome outcome, Waits waited) {}

    Attempt sellOne(Race race, String instance) throws InterruptedException {
        if (!race.locked()) {
            return new Attempt(readThinkWrite(race.id(), instance, NO_TOKEN, thinking), Waits.NONE);
        }
        long start = System.nanoTime();
        try (LockHandle lock = locks.acquire(request(race))) {
            Waits waited = Waits.of(System.nanoTime() - start);
            Outcome outcome = readThinkWrite(race.id(), instance, lock.fencingToken(), thinking);
            lock.ensureHeld();
            return new Attempt(outcome, waited);
        }
    }

    /**
     * Like a process that stands still, for a garbage collection or on a machine that was suspended: its lease ends, others
     * sell, and it writes what it had read before. Only the fencing token keeps it from that.
     */
    Attempt sellOneLate(Race race, String instance) throws InterruptedException {
        if (!race.locked()) {
            return new Attempt(
                    readThinkWrite(race.id(), instance, NO_TOKEN, () -> Thread.sleep(PAUSE_MILLIS)), Waits.NONE);
        }
        long start = System.nanoTime();
        LockHandle lock = locks.acquire(request(race).lease(SHORT_LEASE).renew(false));
        try {
            Waits waited = Waits.of(System.nanoTime() - start);
            long token = lock.fencingToken();
            Thinking pause = () -> Poll.until(() -> lastToken(race.id()) > token, LONGEST_PAUSE);
            return new Attempt(readThinkWrite(race.id(), instance, token, pause), waited);
        } finally {
            closeLost(lock);
        }
    }

    private long lastToken(long race) {
        return jdbc.sql("SELECT fencing_token FROM race WHERE id = ?")
                .param(race)
                .query(Long.class)
                .single();
    }

    private static void closeLost(LockHandle lock) {
        try {
            lock.close();
        } catch (LockLostException expected) {
            // what became of its write is decided by the token
        }
    }

    private static LockRequest request(Race race) {
        return LockRequest.of("race:" + race.id()).waitFor(Duration.ofSeconds(30));
    }

    private Outcome readThinkWrite(long race, String instance, long token, Thinking pause) throws InterruptedException {
        int remaining = jdbc.sql("SELECT remaining FROM race WHERE id = ?")
                .param(race)
                .query(Integer.class)
                .single();
        if (remaining <= 0) {
            return Outcome.SOLD_OUT;
        }
        pause.pause();
        int written = jdbc.sql("UPDATE race SET remaining = ?, fencing_token = ? WHERE id = ? AND fencing_token <= ?")
                .params(remaining - 1, token, race, token)
                .update();
        boolean refused = written == 0;
        jdbc.sql("INSERT INTO sale (race_id, instance_id, item, fencing_token, refused) VALUES (?, ?, ?, ?, ?)")
                .params(race, instance, remaining, token, refused)
                .update();
        return refused ? Outcome.REFUSED : Outcome.SOLD;
    }
}
