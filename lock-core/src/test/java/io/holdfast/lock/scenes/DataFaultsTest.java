package io.holdfast.lock.scenes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockException;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockSettings.ReplicaAcks;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.RedisSentinelProcesses;
import io.holdfast.lock.testing.ServerNode;
import io.holdfast.lock.testing.SlotMigration;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Clients read and write the data of one lock while replies are lost, connections are cut, masters change, and the lock is taken away by
 * force. What a holder reads was written by the last holder whose write was answered, or by one whose answer was lost; and what one holder
 * has read is not replaced by a write of an earlier one.
 */
@Tag("full")
@Timeout(value = 30, unit = TimeUnit.MINUTES) // with -Ddata.seconds
class DataFaultsTest {

    private static final int CLIENTS = 3;
    private static final int THREADS = 2;
    private static final Duration RUN = Duration.ofSeconds(Long.getLong("data.seconds", 30));
    private static final String NOTHING = "0 0";

    /** A value: the token of its writer, and the number of the write. */
    private record Value(long token, int number) implements Comparable<Value> {

        static Value of(String text) {
            String[] words = text.split(" ");
            return new Value(Long.parseLong(words[0]), Integer.parseInt(words[1]));
        }

        @Override
        public int compareTo(Value other) {
            return Comparator.comparingLong(Value::token)
                    .thenComparingInt(Value::number)
                    .compare(this, other);
        }

        String text() {
            return token + " " + number;
        }
    }

    /** What one hold has done: first it has read, then written. */
    private record Hold(long token, @Nullable Value read, List<Value> answered, List<Value> unanswered) {}

    private final LockRequest request = LockRequest.of("data-faults-" + UUID.randomUUID())
            .withData(Duration.ofMinutes(10))
            .lease(Duration.ofMillis(700))
            .waitFor(Duration.ofSeconds(2))
            .outageTolerance(Duration.ofSeconds(2));
    private final Queue<Hold> holds = new ConcurrentLinkedQueue<>();
    private final Random random = new Random();
    private int disturbances;

    @Test
    void one_server_whose_replies_are_lost() throws Exception {
        List<FaultProxy> proxies = Stream.generate(
                        () -> new FaultProxy(TestRedis.shared().port()))
                .limit(CLIENTS)
                .toList();
        RedisLockSettings hasty = RedisLockSettings.STANDARD.withCommandTimeout(Duration.ofMillis(100));
        try (RedisLockStore direct =
                        new RedisLockStore(TestRedis.jedis(TestRedis.shared().port()), TestRedis.PATIENT);
                LockEngine operator = LockEngine.builder(direct).build()) {
            run(
                    client -> TestRedis.jedis(proxies.get(client).port()),
                    hasty,
                    () -> disturb(proxies.get(random.nextInt(CLIENTS)), operator));
        }
        for (FaultProxy proxy : proxies) {
            proxy.close();
        }
    }

    /** Without acknowledgements: replicas that take over on demand, and slots that move, lose nothing. */
    @Test
    void cluster_whose_slots_and_masters_change() throws Exception {
        int slot = RedisClusterProcesses.slot(request.key().value());
        try (RedisClusterProcesses cluster =
                RedisClusterProcesses.start(3, 1, Duration.ofSeconds(2), "--cluster-replica-no-failover", "yes")) {
            run(client -> TestRedis.Client.JEDIS.connect(cluster.address()), RedisLockSettings.STANDARD, () -> {
                if (random.nextBoolean()) {
                    cluster.failOver(slot);
                } else {
                    SlotMigration migration = cluster.migration(slot).begin();
                    pause(200);
                    migration.moveKeys();
                    pause(200);
                    migration.finish();
                }
                cluster.awaitReady();
                pause(500);
            });
        }
    }

    /** Any replica may be the next master, so both acknowledge what is not to be lost. */
    @Test
    void masters_that_die_behind_sentinels() throws Exception {
        RedisLockSettings acknowledged =
                RedisLockSettings.STANDARD.withReplicaAcks(new ReplicaAcks(2, Duration.ofMillis(500)));
        try (RedisSentinelProcesses redis = RedisSentinelProcesses.start()) {
            run(client -> TestRedis.Client.JEDIS.connect(redis.address()), acknowledged, () -> {
                pause(5_000);
                ServerNode master = redis.master();
                master.kill();
                redis.awaitOtherMaster(master);
                master.startAgain();
                redis.awaitReady();
            });
        }
    }

    private static void pause(int millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private void run(IntFunction<RedisConnectionFactory> place, RedisLockSettings settings, Runnable disturbance)
            throws Exception {
        List<CompletableFuture<Void>> workers = new ArrayList<>();
        List<AutoCloseable> opened = new ArrayList<>();
        long end = System.nanoTime() + RUN.toNanos();
        for (int i = 0; i < CLIENTS; i++) {
            RedisConnectionFactory connections = place.apply(i);
            RedisLockStore store = new RedisLockStore(connections, settings);
            LockEngine locks = LockEngine.builder(store).build();
            opened.addAll(List.of(locks, store, () -> TestRedis.destroy(connections)));
            for (int thread = 0; thread < THREADS; thread++) {
                workers.add(NewThread.start(() -> {
                    while (System.nanoTime() - end < 0) {
                        use(locks);
                    }
                    return null;
                }));
            }
        }
        while (System.nanoTime() - end < 0) {
            disturbance.run();
            disturbances++;
        }
        for (CompletableFuture<Void> worker : workers) {
            worker.get(1, TimeUnit.MINUTES);
        }
        for (AutoCloseable each : opened) {
            each.close();
        }

        check();
    }

    private void disturb(FaultProxy proxy, LockEngine operator) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20 + random.nextInt(100)));
        switch (random.nextInt(4)) {
            case 0 -> proxy.cut();
            case 1 -> operator.forceRelease(request.key().value());
            default -> {
                proxy.loseReplies(true);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(300)));
                proxy.loseReplies(false);
                proxy.cut();
            }
        }
    }

    private void use(LockEngine locks) {
        try (LockHandle lock = locks.acquire(request)) {
            List<Value> answered = new ArrayList<>();
            List<Value> unanswered = new ArrayList<>();
            Value read = Value.of(
                    lock.data().bytes().map(bytes -> new String(bytes, UTF_8)).orElse(NOTHING));
            holds.add(new Hold(lock.fencingToken(), read, answered, unanswered));
            for (int number = 1; number <= 3; number++) {
                Value value = new Value(lock.fencingToken(), number);
                try {
                    lock.saveData(value.text().getBytes(UTF_8));
                    answered.add(value);
                } catch (LockStoreException
                        | LockLostException e) { // a repeated call may find the lock lost after it was saved
                    unanswered.add(value);
                    lock.ensureHeld();
                }
            }
        } catch (LockLostException e) {
            // the next one
        } catch (LockException e) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    private void check() {
        List<Hold> inOrder =
                holds.stream().sorted(Comparator.comparingLong(Hold::token)).toList();
        Set<Value> possible = new HashSet<>(Set.of(Value.of(NOTHING)));
        int lateOnes = 0;
        int answers = 0;
        for (Hold hold : inOrder) {
            assertThat(hold.read())
                    .as("read with token %s, after %s", hold.token(), possible)
                    .isIn(possible);
            lateOnes += possible.size() > 1 ? 1 : 0;
            possible.clear();
            possible.add(hold.read());
            Optional<Value> last = hold.answered().stream().max(Comparator.naturalOrder());
            last.ifPresent(value -> {
                possible.clear();
                possible.add(value);
            });
            answers += hold.answered().size();
            hold.unanswered().stream()
                    .filter(value -> last.isEmpty() || value.compareTo(last.get()) > 0)
                    .forEach(possible::add);
        }
        System.out.printf(
                "%d faults, %d holds, %d answered writes, %d reads after a lost answer%n",
                disturbances, inOrder.size(), answers, lateOnes);
        assertThat(answers).as("answered writes").isGreaterThan(50);
    }
}
