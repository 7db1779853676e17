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
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Jedis;

/**
 * Every holder writes its token to a list, under the lock, whichever way it got it: from its sibling, from the store,
 * after the death of the former. So the list is the order of the grants.
 */
@Tag("full")
class TokenRunTest {

    private static final Duration LEASE = Duration.ofSeconds(4);
    private static final int KILLS = 20;
    private static final int GRANTS_BETWEEN = 3_000;

    private String key;
    private String list;
    private final Random random = new Random();

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void tokens_increase_over_handoffs_hand_overs_and_deaths() throws Exception {
        RunningTime.withoutPause(this::run);
    }

    private void run() throws Exception {
        key = "tokens:" + UUID.randomUUID();
        list = "list:" + key;
        List<WorkerProcess> workers = new ArrayList<>();
        try (CommandCount commands = new CommandCount(TestRedis.shared().port());
                Jedis redis = TestRedis.administrator(TestRedis.shared().port());
                Clients clients = Clients.open(
                        1, TestRedis.Client.JEDIS, TestRedis.shared().port())) {
            long calls = commands.of("evalsha");
            workers.add(start());
            workers.add(start());
            for (int i = 0; i <= KILLS; i++) {
                awaitGrants(redis, clients, redis.llen(list) + GRANTS_BETWEEN);
                workers.remove(random.nextInt(workers.size())).kill();
                if (i < KILLS) {
                    workers.add(start());
                }
            }
            for (WorkerProcess worker : workers) {
                worker.kill();
            }
            List<Long> tokens =
                    redis.lrange(list, 0, -1).stream().map(Long::parseLong).toList();
            assertThat(tokens).isSorted().doesNotHaveDuplicates();
            assertThat(handoffs(tokens.size(), commands.of("evalsha") - calls)).isPositive();
            redis.del(list);
        } finally {
            for (WorkerProcess worker : workers) {
                worker.close();
            }
        }
    }

    /** At least: without one, a grant takes a call to get the lock and one to give it back. */
    private static long handoffs(long grants, long calls) {
        return grants - calls / 2;
    }

    /** This process takes the lock too, now alone and now fairly. */
    private void awaitGrants(Jedis redis, Clients clients, long count) {
        LockRequest request = LockRequest.of(key).lease(LEASE).waitFor(Duration.ofMinutes(1));
        Awaitility.await().pollInSameThread().atMost(2, TimeUnit.MINUTES).until(() -> {
            try (LockHandle handle = clients.get(0).acquire(request.fair(random.nextBoolean()))) {
                return redis.rpush(list, String.valueOf(handle.fencingToken())) >= count;
            }
        });
    }

    private WorkerProcess start() throws Exception {
        WorkerProcess worker = Worker.start("log", key, String.valueOf(LEASE.toMillis()), list);
        assertThat(worker.nextLine()).isEqualTo("STARTED");
        return worker;
    }
}
