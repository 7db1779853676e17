package io.holdfast.lock.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.RedisAddress;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.WorkerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * How long there is no leader after its process was killed, while servers and network are well. Writes the times to {@code
 * target/faults/succession.md}.
 */
@Tag("faults")
@Isolated
@Timeout(600)
class SuccessionTest {

    private static final int ROLES = 24;
    private static final int ROUNDS = 3;

    /** Leases and entries have expired by then; the rest is for a slow machine. */
    private static final Duration MARGIN = Duration.ofSeconds(10);

    private static final Duration LIFE_OF_AN_ENTRY = Duration.ofMillis(3400);

    private final Random random = new Random();
    private final LockPlace anywhere =
            LockPlace.of(RedisAddress.standalone(TestRedis.shared().port()));

    /** @param dead how many more candidates are killed with the leader; they are first in the queue */
    @ParameterizedTest
    @CsvSource({"PT2S,2,0", "PT2S,5,0", "PT2S,2,1", "PT6S,2,0", "PT6S,5,0", "PT6S,2,1"})
    void new_leader_begins_when_the_lease_has_expired(Duration lease, int candidates, int dead) throws Exception {
        List<Duration> gaps = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            gaps.addAll(gaps(anywhere.in("succession-" + UUID.randomUUID()).withLease(lease), candidates, dead));
        }
        gaps.sort(Duration::compareTo);
        publish(lease, candidates, dead, gaps);
        Duration longest = lease.compareTo(LIFE_OF_AN_ENTRY) > 0 ? lease : LIFE_OF_AN_ENTRY;
        assertThat(gaps)
                .hasSize(ROUNDS * ROLES)
                .allMatch(gap -> gap.compareTo(lease.dividedBy(2)) > 0) // it was renewed after a third of it
                .allMatch(gap -> gap.compareTo(longest.plus(MARGIN)) < 0);
    }

    private List<Duration> gaps(LockPlace place, int candidates, int dead) throws Exception {
        List<String> roles = Keys.of(ROLES, Use.ALONE);
        List<WorkerProcess> workers = new ArrayList<>();
        try {
            for (int i = 0; i <= dead + candidates; i++) {
                workers.add(start(place, roles, i));
                if (i == 0) {
                    times(workers, ROLES);
                } else {
                    awaitWaiters(place, roles, i);
                }
            }
            Thread.sleep(random.nextInt((int) place.lease().toMillis()));
            List<WorkerProcess> dying = List.copyOf(workers.subList(0, dead + 1));
            long killed = System.nanoTime();
            for (WorkerProcess each : dying) {
                each.signal("KILL");
            }
            workers.removeAll(dying);
            return times(workers, ROLES).stream()
                    .map(time -> Duration.ofNanos(time - killed))
                    .toList();
        } finally {
            for (WorkerProcess each : workers) {
                each.close();
            }
        }
    }

    private static WorkerProcess start(LockPlace place, List<String> roles, int number) throws Exception {
        TestRedis.Client[] drivers = TestRedis.Client.values();
        return WorkerProcess.start(
                SuccessionWorker.class,
                place.toString(),
                String.join(",", roles),
                drivers[number % drivers.length].name());
    }

    /** When somebody was elected, as often as that. */
    private static List<Long> times(List<WorkerProcess> workers, int count) {
        List<Long> times = new ArrayList<>();
        Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> {
            for (WorkerProcess each : workers) {
                each.lines().stream().map(Long::parseLong).forEach(times::add);
            }
            return times.size() >= count;
        });
        return times;
    }

    private static void awaitWaiters(LockPlace place, List<String> roles, int count) {
        JedisConnectionFactory connections = TestRedis.jedis(TestRedis.shared().port());
        try (RedisLockStore store =
                new RedisLockStore(connections, RedisLockSettings.STANDARD.withKeyPrefix(place.keyPrefix()))) {
            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> roles.stream()
                            .allMatch(role -> store.inspect(LockKey.of(role)).waiters() == count));
        } finally {
            TestRedis.destroy(connections);
        }
    }

    private static void publish(Duration lease, int candidates, int dead, List<Duration> gaps) throws Exception {
        String quantiles = IntStream.of(0, 50, 90, 100)
                .mapToObj(percent -> gaps.get((gaps.size() - 1) * percent / 100))
                .map(gap -> String.format(Locale.ROOT, "%.2f s | ", gap.toMillis() / 1000.0))
                .reduce("", String::concat);
        String row = String.format(
                Locale.ROOT, "| %d s | %d | %d | %d | %s", lease.toSeconds(), candidates, dead, gaps.size(), quantiles);
        System.out.println(row);
        Path directory = Files.createDirectories(Path.of("target", "faults"));
        Files.writeString(
                directory.resolve("succession.md"),
                row.strip() + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }
}
