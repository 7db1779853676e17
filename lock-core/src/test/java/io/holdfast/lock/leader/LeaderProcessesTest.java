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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** Leaders in processes of their own, which die or stand still. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class LeaderProcessesTest {

    private static final Duration LEASE = Duration.ofSeconds(1);

    private final String role = "role-" + UUID.randomUUID();
    private final JedisConnectionFactory connections =
            TestRedis.jedis(TestRedis.shared().port());
    private final RedisLockStore store = new RedisLockStore(connections, TestRedis.PATIENT);
    private final LockEngine locks = LockEngine.builder(store).build();
    private final LeaderElection election = LeaderElection.on(locks);
    private final Leadership successor =
            election.join(role, LockRequest.of("leader:" + role).lease(LEASE));
    private final CompletableFuture<Term> elected = new CompletableFuture<>();

    @AfterEach
    void end() {
        election.close();
        locks.close();
        store.close();
        TestRedis.destroy(connections);
    }

    private long leads(WorkerProcess worker) throws Exception {
        long token = Long.parseLong(worker.nextLine().substring("ELECTED ".length()));
        successor.onElected(elected::complete);
        election.start();
        return token;
    }

    private Term next() throws Exception {
        return elected.get(2, TimeUnit.MINUTES);
    }

    @Test
    void leader_that_is_killed_is_replaced() throws Exception {
        try (WorkerProcess worker = LeaderWorker.start(role, LEASE)) {
            long token = leads(worker);
            worker.kill();
            assertThat(next().fencingToken()).isGreaterThan(token);
        }
    }

    @Test
    void leader_that_stood_still_says_that_it_does_not_lead_when_it_goes_on() throws Exception {
        try (WorkerProcess worker = LeaderWorker.start(role, LEASE)) {
            long token = leads(worker);
            worker.send("leader?");
            assertThat(worker.nextLine()).isEqualTo("LEADS");
            worker.signal("STOP");
            assertThat(next().fencingToken()).isGreaterThan(token);
            worker.send("leader?");
            worker.signal("CONT");
            assertThat(worker.nextLine()).isEqualTo("FOLLOWS");
            assertThat(successor.isLeader()).isTrue();
        }
    }
}
