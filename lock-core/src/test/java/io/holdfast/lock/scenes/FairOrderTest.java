package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.WorkerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;

/** A fair lock that several processes wait for, one after the other. */
@Tag("full")
class FairOrderTest {

    private static final String LEASE_MILLIS = "30000";

    private String key;
    private String list;
    private LockRequest fair;
    private final Random random = new Random();
    private final Jedis redis = TestRedis.administrator(TestRedis.shared().port());
    private final Clients clients =
            Clients.open(2, TestRedis.Client.JEDIS, TestRedis.shared().port());
    private final List<WorkerProcess> workers = new ArrayList<>();

    @BeforeEach
    void begin() {
        key = "fair:" + UUID.randomUUID();
        list = "served:" + key;
        fair = LockRequest.of(key).fair(true).waitFor(Duration.ofMinutes(5));
    }

    private void endWorkers() throws Exception {
        for (WorkerProcess worker : workers) {
            worker.close();
        }
        workers.clear();
        redis.del(list);
    }

    @AfterEach
    void end() throws Exception {
        endWorkers();
        clients.close();
        redis.close();
    }

    private WorkerProcess start(String mode) throws Exception {
        WorkerProcess worker = Worker.start(mode, key, LEASE_MILLIS, list);
        workers.add(worker);
        assertThat(worker.nextLine()).isEqualTo("STARTED");
        return worker;
    }

    /** Has a thread of the worker wait, and returns when it has an entry. */
    private void line(WorkerProcess worker, int name) throws Exception {
        worker.send(String.valueOf(name));
        clients.awaitWaiters(key, name + 1);
    }

    @Test
    void processes_are_served_in_the_order_in_which_they_came() throws Exception {
        RunningTime.withoutPause(this::serveInOrder);
    }

    private void serveInOrder() throws Exception {
        endWorkers();
        begin();
        List<String> arrived = new ArrayList<>();
        LockHandle holder = clients.get(0).acquire(fair);
        for (int i = 0; i < 3; i++) {
            start("line");
        }
        for (int name = 0; name < 15; name++) {
            line(workers.get(random.nextInt(workers.size())), name);
            arrived.add(String.valueOf(name));
        }

        holder.close();

        Clients.await(() -> redis.llen(list) == arrived.size());
        assertThat(redis.lrange(list, 0, -1)).isEqualTo(arrived);
    }

    @Test
    void several_killed_processes_in_a_row_delay_the_next_waiter_by_seconds_together() throws Exception {
        LockHandle holder = clients.get(0).acquire(fair);
        for (int name = 0; name < 9; name++) {
            line(name % 3 == 0 ? start("line") : workers.get(name / 3), name);
        }
        CompletableFuture<Duration> next = clients.async(1, locks -> {
            try (LockHandle handle = locks.acquire(fair)) {
                return RunningTime.now();
            }
        });
        clients.awaitWaiters(key, 10);
        for (WorkerProcess worker : workers) {
            worker.kill();
        }
        Duration freed = RunningTime.now();
        holder.close();

        assertThat(next.join().minus(freed)).isLessThan(Contest.MAX_GAP);
        assertThat(redis.llen(list)).isZero();
        clients.awaitNothingLeft(key);
    }

    @Test
    void busy_process_does_not_keep_the_lock_from_a_fair_waiter() throws Exception {
        start("log");
        Clients.await(() -> redis.llen(list) > 100);

        for (int i = 0; i < 20; i++) {
            Duration came = RunningTime.now();
            try (LockHandle handle = clients.get(0).acquire(fair)) {
                assertThat(RunningTime.now().minus(came)).isLessThan(Contest.MAX_GAP);
            }
        }
    }
}
