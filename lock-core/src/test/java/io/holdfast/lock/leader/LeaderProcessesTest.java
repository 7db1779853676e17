package io.holdfast.lock.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.WorkerProcess;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** Leaders in processes of their own, which die or stand still. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class LeaderProcessesTest {

    private static final String ELECTED = "ELECTED ";

    /** Of the first leader, which the test waits for. */
    private static final Duration LEASE = Duration.ofSeconds(1);

    /** Of its successor, which does not lose its term on a slow machine. */
    private static final Duration LONG_LEASE = Duration.ofMinutes(2);

    private final String role = "role-" + UUID.randomUUID();
    private final JedisConnectionFactory connections =
            TestRedis.jedis(TestRedis.shared().port());
    private final RedisLockStore store = new RedisLockStore(connections, TestRedis.PATIENT);
    private final LockEngine locks = LockEngine.builder(store).build();
    private final LeaderElection election = LeaderElection.on(locks);
    private final Leadership successor =
            election.join(role, LockRequest.of("leader:" + role).lease(LONG_LEASE));
    private final CompletableFuture<Term> elected = new CompletableFuture<>();

    @AfterEach
    void end() {
        election.close();
        locks.close();
        store.close();
        TestRedis.destroy(connections);
    }

    private static long leads(WorkerProcess worker) throws Exception {
        return Long.parseLong(worker.nextLine().substring(ELECTED.length()));
    }

    private void joinElection() {
        successor.onElected(elected::complete);
        election.start();
    }

    /** On a slow machine a leader may lose its term and be elected again. */
    private static String answer(WorkerProcess worker) throws Exception {
        String line = worker.nextLine();
        while (line.startsWith(ELECTED)) {
            line = worker.nextLine();
        }
        return line;
    }

    private Term next() throws Exception {
        return elected.get(2, TimeUnit.MINUTES);
    }

    @Test
    void leader_that_is_killed_is_replaced() throws Exception {
        try (WorkerProcess worker = LeaderWorker.start(role, LEASE)) {
            long token = leads(worker);
            joinElection();
            worker.kill();
            assertThat(next().fencingToken()).isGreaterThan(token);
        }
    }

    @Test
    void leader_that_stood_still_says_that_it_does_not_lead_when_it_goes_on() throws Exception {
        try (WorkerProcess worker = LeaderWorker.start(role, LEASE)) {
            long token = leads(worker);
            Awaitility.await().until(() -> {
                worker.send("leader?");
                return answer(worker).equals("LEADS");
            });
            worker.signal("STOP");
            joinElection();
            assertThat(next().fencingToken()).isGreaterThan(token);
            worker.send("leader?");
            worker.signal("CONT");
            assertThat(answer(worker)).isEqualTo("FOLLOWS");
            assertThat(successor.isLeader()).isTrue();
        }
    }
}
