package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.WorkerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What killed processes held together with others, or alone before many others, comes back with their leases. */
@Tag("full")
class KilledPermitsTest {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final String LEASE_MILLIS = String.valueOf(LEASE.toMillis());
    private static final int PERMITS = 2;

    private String key = newKey();
    private final Clients clients =
            Clients.open(2, TestRedis.Client.JEDIS, TestRedis.shared().port());

    @AfterEach
    void close() {
        clients.close();
    }

    @Test
    void permits_of_killed_processes_come_back_when_their_leases_end() throws Exception {
        RunningTime.withoutPause(this::killAllWithPermits);
    }

    private static String newKey() {
        return "permits:" + UUID.randomUUID();
    }

    private void killAllWithPermits() throws Exception {
        key = newKey();
        LockRequest permit = LockRequest.of(key).shared(PERMITS).waitFor(Duration.ofMinutes(5));
        try (WorkerProcess one = Worker.start("permit", key, LEASE_MILLIS, String.valueOf(PERMITS));
                WorkerProcess two = Worker.start("permit", key, LEASE_MILLIS, String.valueOf(PERMITS))) {
            assertThat(one.nextLine()).startsWith("HELD");
            assertThat(two.nextLine()).startsWith("HELD");
            assertThat(clients.get(0).tryAcquire(permit.waitFor(Duration.ZERO))).isEmpty();
            List<CompletableFuture<Duration>> waiting = IntStream.range(0, PERMITS)
                    .mapToObj(i -> clients.async(i, locks -> {
                        locks.acquire(permit).detach();
                        return clients.redisTime();
                    }))
                    .toList();
            clients.awaitWaiters(key, PERMITS);

            one.kill();
            two.kill();

            Duration killed = RunningTime.now();
            List<Duration> ends = leaseEnds(clients.redisTime());
            assertThat(ends).hasSize(PERMITS);
            List<Duration> granted =
                    waiting.stream().map(time -> time.join()).sorted().toList();
            assertThat(RunningTime.now().minus(killed)).isLessThan(LEASE.plus(Contest.MAX_GAP));
            for (int i = 0; i < PERMITS; i++) {
                assertThat(granted.get(i)).isGreaterThanOrEqualTo(ends.get(i));
            }
            assertThat(clients.get(0).inspect(key).holders())
                    .hasSize(PERMITS)
                    .noneMatch(holder -> holder.pid() == one.pid() || holder.pid() == two.pid());
        }
    }

    /** Not earlier than these, by Redis' clock. */
    private List<Duration> leaseEnds(Duration now) {
        return clients.get(0).inspect(key).holders().stream()
                .map(LockHolder::remaining)
                .map(now::plus)
                .sorted()
                .toList();
    }

    @Test
    void readers_come_in_together_after_a_killed_writer() throws Exception {
        int readers = 4;
        CyclicBarrier together = new CyclicBarrier(readers);
        LockRequest read = LockRequest.of(key).shared().waitFor(Duration.ofMinutes(5));
        try (WorkerProcess writer = Worker.start("hold", key, LEASE_MILLIS)) {
            assertThat(writer.nextLine()).startsWith("HELD");
            List<CompletableFuture<Integer>> reading = new ArrayList<>();
            for (int i = 0; i < readers; i++) {
                reading.add(clients.async(i % 2, locks -> {
                    try (LockHandle handle = locks.acquire(read)) {
                        return together.await(1, TimeUnit.MINUTES);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }));
                clients.awaitWaiters(key, i + 1);
            }

            writer.kill();

            for (CompletableFuture<Integer> one : reading) {
                assertThat(one).succeedsWithin(1, TimeUnit.MINUTES);
            }
            clients.awaitNothingLeft(key);
        }
    }
}
