package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.WorkerProcess;
import java.time.Duration;
import java.util.UUID;
import org.h2.tools.Server;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** A process that stands still for longer than its lease, as in a long garbage collection, and then goes on. */
class StoppedProcessTest {

    @Test
    void continued_process_finds_its_lock_lost_and_the_database_refuses_its_token() throws Exception {
        String key = "stopped:" + UUID.randomUUID();
        Server database = GuardedCounter.startDatabase();
        String url = GuardedCounter.url(database, "stopped");
        GuardedCounter counter = new GuardedCounter(url);
        counter.create();
        JedisConnectionFactory connections = TestRedis.jedis(TestRedis.shared().port());
        RedisLockStore store = new RedisLockStore(connections, TestRedis.PATIENT);
        try (LockEngine locks = LockEngine.builder(store).build();
                WorkerProcess worker = Worker.start("hold", key, "1000", url)) {
            long oldToken = Long.parseLong(worker.nextLine().substring("HELD ".length()));
            worker.send("write");
            worker.nextLine();

            worker.signal("STOP");
            LockHandle next = locks.acquire(LockRequest.of(key).waitFor(Duration.ofMinutes(2)));
            assertThat(next.fencingToken()).isGreaterThan(oldToken);
            assertThat(counter.incrementByToken(next.fencingToken())).isTrue();
            worker.send("ask");
            worker.send("write");
            worker.signal("CONT");

            assertThat(worker.nextLine()).isEqualTo("LOST");
            assertThat(worker.nextLine()).isEqualTo("REFUSED");
            assertThat(next.isHeld()).isTrue();
            next.close();
        } finally {
            store.close();
            TestRedis.destroy(connections);
            database.stop();
        }
    }
}
