package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.scan.WaitReport;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** What is Redis' own about the record of nested waits: what clients leave there does not stay. */
class WaitsRecordTest {

    private static final String RECORD = "holdfast:waits";
    private static final String LONG_AGO = "1\n";

    private RedisServerProcess server;
    private Jedis redis;
    private RedisLockStore store;

    @BeforeEach
    void open() {
        server = RedisServerProcess.start();
        redis = TestRedis.administrator(server.port());
        store = new RedisLockStore(TestRedis.Client.JEDIS.connect(server.port()), TestRedis.PATIENT);
    }

    @AfterEach
    void close() {
        store.close();
        redis.close();
        server.close();
    }

    private void report() {
        NestedWait wait = new NestedWait(
                "alice",
                "host",
                1,
                "main",
                LockKey.of("wanted"),
                LockMode.EXCLUSIVE,
                Duration.ofSeconds(1),
                List.of(new NestedWait.HeldLock(LockKey.of("held"), 7, LockMode.EXCLUSIVE)));
        store.recordWaits("alice", List.of(new WaitReport(1, false, wait)));
    }

    @Test
    void record_expires_when_no_client_repeats_its_own() {
        report();

        assertThat(redis.pttl(RECORD)).isBetween(1L, LockStore.WAITS_TIMEOUT.toMillis());
    }

    @Test
    void first_report_of_a_client_removes_what_others_have_not_repeated() {
        redis.hset(RECORD, "dead", LONG_AGO);
        redis.hset(RECORD, "strange", "text of another program");

        report();

        assertThat(redis.hkeys(RECORD)).containsExactly("alice");
    }

    /** The search costs as much as the record is long. */
    @Test
    void second_report_of_a_client_leaves_it_to_others() {
        report();
        redis.hset(RECORD, "dead", LONG_AGO);

        report();

        assertThat(redis.hkeys(RECORD)).containsExactlyInAnyOrder("alice", "dead");
        assertThat(store.recordedWaits()).hasSize(1);
    }
}
