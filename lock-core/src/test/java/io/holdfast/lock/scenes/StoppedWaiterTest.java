package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.WorkerProcess;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** A process that stands still while it is the first to wait. */
class StoppedWaiterTest {

    private static final Duration PAUSE = Duration.ofMillis(2_500);

    private final String key = "stopped:" + UUID.randomUUID();
    private final String list = "served:" + key;
    private final LockRequest fair = LockRequest.of(key).fair(true).waitFor(Duration.ofMinutes(5));
    private final Jedis redis = TestRedis.administrator(TestRedis.shared().port());
    private final Clients clients =
            Clients.open(2, TestRedis.Client.JEDIS, TestRedis.shared().port());

    @AfterEach
    void end() {
        clients.close();
        redis.del(list);
        redis.close();
    }

    /** The shortest pause of a garbage collection that is promised to cost nothing, at the worst moment. */
    @Test
    @Tag("full")
    void it_gets_the_lock_that_was_handed_to_it_meanwhile_and_keeps_it() throws Exception {
        RunningTime.withoutPause(() -> {
            try (WorkerProcess worker = Worker.start("hold", key, "30000")) {
                LockHandle holder = clients.get(0).acquire(fair);
                clients.awaitWaiters(key, 1);
                CompletableFuture<LockHandle> behind = clients.async(1, locks -> locks.acquire(fair));
                clients.awaitWaiters(key, 2);

                worker.signal("STOP");
                holder.close();
                Thread.sleep(PAUSE.toMillis());
                worker.signal("CONT");

                assertThat(worker.nextLine()).startsWith("HELD");
                Thread.sleep(PAUSE.toMillis());
                worker.send("ask");
                assertThat(worker.nextLine()).isEqualTo("HELD");
                assertThat(behind).isNotDone();
                worker.send("close");
                assertThat(worker.nextLine()).isEqualTo("CLOSED");
                behind.join().close();
            }
        });
        clients.awaitNothingLeft(key);
    }

    @Test
    void others_pass_it_and_it_gets_its_turn_when_it_goes_on() throws Exception {
        try (WorkerProcess worker = Worker.start("line", key, "30000", list)) {
            assertThat(worker.nextLine()).isEqualTo("STARTED");
            LockHandle holder = clients.get(0).acquire(fair);
            worker.send("the stopped one");
            clients.awaitWaiters(key, 1);
            CompletableFuture<Duration> next = clients.async(1, locks -> {
                try (LockHandle handle = locks.acquire(fair)) {
                    return RunningTime.now();
                }
            });
            clients.awaitWaiters(key, 2);

            worker.signal("STOP");
            int polls = clients.store(1).polls.size();
            Clients.await(() -> clients.store(1).polls.size() > polls + 1);
            assertThat(redis.llen(list)).as("lines before the release").isZero();
            Duration freed = RunningTime.now();
            holder.close();

            assertThat(next.join().minus(freed)).isLessThan(Contest.MAX_GAP);
            long lines = redis.llen(list);
            assertThat(worker.isStopped())
                    .as("nobody but the test continues the worker")
                    .isTrue();
            assertThat(lines).isZero();
            worker.signal("CONT");
            Clients.await(() -> redis.llen(list) == 1);
            clients.awaitNothingLeft(key); // a worker that is killed while it holds the lock keeps it for its lease
        }
    }
}
