package io.holdfast.lock.sample.race;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import java.time.Duration;
import java.util.LongSummaryStatistics;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Sells one item as many services do: reads the stock, thinks, writes it back. Two workers that read the same number sell
 * the same item. The code is the same with the lock and without.
 */
@Component
class Counter {

    private static final long NO_TOKEN = 0;
    private static final Duration SHORT_LEASE = Duration.ofMillis(300);
    private static final Duration PAUSE_WITHOUT_LOCK = Duration.ofMillis(500);
    private static final Duration MAX_PAUSE = Duration.ofSeconds(10);

    private final LockTemplate locks;
    private final JdbcClient jdbc;
    private final Thinking thinking;

    Counter(LockTemplate locks, JdbcClient jdbc, Thinking thinking) {
        this.locks = locks;
        this.jdbc = jdbc;
        this.thinking = thinking;
    }

    /**
     * Sells one item.
     *
     * @param pauses whether this caller stops before it writes, as in a long garbage collection: its lease expires, others sell,
     *     and it writes what it had read before. Only the fencing token prevents that.
     * @param waits records how long the lock was awaited
     * @return false if everything is sold
     */
    boolean sellOne(Race race, String instance, boolean pauses, LongSummaryStatistics waits)
            throws InterruptedException {
        if (!race.locked()) {
            return readThinkWrite(race.id(), instance, NO_TOKEN, pauses);
        }
        long start = System.nanoTime();
        LockRequest request = LockRequest.of("race:" + race.id()).waitFor(Duration.ofSeconds(30));
        try (LockHandle lock = locks.acquire(pauses ? request.lease(SHORT_LEASE).renew(false) : request)) {
            waits.accept(System.nanoTime() - start);
            return readThinkWrite(race.id(), instance, lock.fencingToken(), pauses);
        } catch (LockLostException e) {
            if (!pauses) {
                throw e;
            }
            return true; // the token has determined the outcome of its write
        }
    }

    private boolean readThinkWrite(long race, String instance, long token, boolean pauses) throws InterruptedException {
        int remaining = jdbc.sql("SELECT remaining FROM race WHERE id = ?")
                .param(race)
                .query(Integer.class)
                .single();
        if (remaining <= 0) {
            return false;
        }
        if (pauses) {
            pause(race, token);
        } else {
            thinking.pause();
        }
        int written = jdbc.sql("UPDATE race SET remaining = ?, fencing_token = ? WHERE id = ? AND fencing_token <= ?")
                .params(remaining - 1, token, race, token)
                .update();
        jdbc.sql("INSERT INTO sale (race_id, instance_id, item, fencing_token, refused) VALUES (?, ?, ?, ?, ?)")
                .params(race, instance, remaining, token, written == 0)
                .update();
        return true;
    }

    /** Pauses until a holder with a newer token has written. */
    private void pause(long race, long token) throws InterruptedException {
        Duration limit = token == NO_TOKEN ? PAUSE_WITHOUT_LOCK : MAX_PAUSE;
        long start = System.nanoTime();
        while (System.nanoTime() - start < limit.toNanos() && lastFencingToken(race) <= token) {
            Thread.sleep(10);
        }
    }

    private long lastFencingToken(long race) {
        return jdbc.sql("SELECT fencing_token FROM race WHERE id = ?")
                .param(race)
                .query(Long.class)
                .single();
    }
}
