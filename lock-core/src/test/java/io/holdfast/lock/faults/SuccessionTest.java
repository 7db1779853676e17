package io.holdfast.lock.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.RedisAddress;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.WorkerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
 * target/faults/succession.md}. {@code -Dsuccession.rounds} kills more leaders of each kind.
 */
@Tag("faults")
@Isolated
@Timeout(600)
class SuccessionTest {

    private static final int ROLES = 24;
    private static final int ROUNDS = Integer.getInteger("succession.rounds", 1);

    /** Leases and entries have expired by then; the rest is for a slow machine. */
    private static final Duration MARGIN = Duration.ofSeconds(10);

    private static final Duration LIFE_OF_AN_ENTRY = Duration.ofMillis(3400);

    private final Random random = new Random();
    private final LockPlace anywhere =
            LockPlace.of(RedisAddress.standalone(TestRedis.shared().port()));

    /** In the clock that Redis has as well, so that leases and elections can be compared. */
    record Election(String role, Instant at) {

        static Election parse(String line) {
            String[] words = line.split(" ");
            return new Election(words[0], Instant.parse(words[1]));
        }

        @Override
        public String toString() {
            return role + " " + at;
        }
    }

    /** @param dead how many more candidates are killed with the leader; they are first in the queue */
    @ParameterizedTest
    @CsvSource({"PT2S,2,0", "PT2S,5,0", "PT2S,2,1", "PT6S,2,0", "PT6S,5,0", "PT6S,2,1"})
    void new_leader_begins_when_the_lease_has_expired(Duration lease, int candidates, int dead) throws Exception {
        Duration longest = (lease.compareTo(LIFE_OF_AN_ENTRY) > 0 ? lease : LIFE_OF_AN_ENTRY).plus(MARGIN);
        List<Duration> gaps = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            Duration paused = RunningTime.paused();
            List<Duration> found =
                    gaps(anywhere.in("succession-" + UUID.randomUUID()).withLease(lease), candidates, dead);
            Duration allowed = longest.plus(RunningTime.paused().minus(paused));
            assertThat(found).hasSize(ROLES).allMatch(gap -> gap.compareTo(allowed) < 0);
            gaps.addAll(found);
        }
        gaps.sort(Duration::compareTo);
        publish(lease, candidates, dead, gaps);
    }

    private List<Duration> gaps(LockPlace place, int candidates, int dead) throws Exception {
        List<String> roles = Keys.of(ROLES, Use.ALONE);
        List<WorkerProcess> workers = new ArrayList<>();
        try (Observer observer = new Observer(place)) {
            for (int i = 0; i <= dead + candidates; i++) {
                workers.add(start(place, roles));
                if (i == 0) {
                    elections(workers, roles);
                } else {
                    observer.awaitWaiters(roles, i);
                }
            }
            Thread.sleep(random.nextInt((int) place.lease().toMillis()));
            List<WorkerProcess> dying = List.copyOf(workers.subList(0, dead + 1));
            Map<String, Instant> leases = observer.leases(roles, dying.get(0).pid());
            assertThat(leases).as("roles of the leader that is killed").isNotEmpty();
            Instant killed = Instant.now();
            for (WorkerProcess each : dying) {
                each.signal("KILL");
            }
            workers.removeAll(dying);
            Map<String, Instant> elections = elections(workers, roles);
            assertThat(leases)
                    .allSatisfy((role, end) -> assertThat(elections.get(role))
                            .as("its successor in %s", role)
                            .isAfterOrEqualTo(end));
            return elections.values().stream()
                    .map(at -> Duration.between(killed, at))
                    .toList();
        } finally {
            for (WorkerProcess each : workers) {
                each.close();
            }
        }
    }

    private static WorkerProcess start(LockPlace place, List<String> roles) throws Exception {
        return WorkerProcess.start(
                SuccessionWorker.class, place.toString(), String.join(",", roles), TestRedis.Client.JEDIS.name());
    }

    /** When one of them was first elected in each role. */
    private static Map<String, Instant> elections(List<WorkerProcess> workers, List<String> roles) {
        Map<String, Instant> elections = new HashMap<>();
        Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> {
            for (WorkerProcess each : workers) {
                each.lines().stream()
                        .map(Election::parse)
                        .forEach(election ->
                                elections.merge(election.role(), election.at(), (a, b) -> a.isBefore(b) ? a : b));
            }
            return elections.keySet().containsAll(roles);
        });
        return elections;
    }

    /** What Redis knows of the locks. */
    private static final class Observer implements AutoCloseable {

        private final JedisConnectionFactory connections =
                TestRedis.jedis(TestRedis.shared().port());
        private final RedisLockStore store;

        Observer(LockPlace place) {
            store = new RedisLockStore(connections, RedisLockSettings.STANDARD.withKeyPrefix(place.keyPrefix()));
        }

        void awaitWaiters(List<String> roles, int count) {
            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> roles.stream()
                            .allMatch(role -> store.inspect(LockKey.of(role)).waiters() == count));
        }

        /**
         * The roles that the process leads in, with the earliest end of their leases. It may renew them until it is killed, which
         * only makes them longer. A role that it has lost, since the machine stood still, is missing.
         */
        Map<String, Instant> leases(List<String> roles, long pid) {
            Map<String, Instant> leases = new HashMap<>();
            for (String role : roles) {
                Instant before = Instant.now();
                store.inspect(LockKey.of(role))
                        .holder()
                        .filter(holder -> holder.pid() == pid)
                        .ifPresent(holder -> leases.put(role, before.plus(holder.remaining())));
            }
            return leases;
        }

        @Override
        public void close() {
            store.close();
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
