package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.holdfast.lock.api.LockException;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.testing.CapturedLog;
import io.holdfast.lock.testing.DocumentedUser;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisAddress;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.ServerNode;
import io.holdfast.lock.testing.SlotMigration;
import io.holdfast.lock.testing.TestRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

/**
 * Hand-overs in a cluster whose servers publish in the slot of a lock: from Redis 7, see {@code -Dembedded.redis.executable}. On dedicated
 * connections, since only they subscribe there; clients with connections of their application take part as well.
 */
@EnabledIf("serversPublishInSlots")
class ShardedMessagesTest {

    private static final String KEY = "order:42";
    private static final int SLOT = RedisClusterProcesses.slot("holdfast:{" + KEY + "}");
    private static final LockRequest REQUEST =
            LockRequest.of(KEY).lease(Duration.ofSeconds(10)).waitFor(Duration.ofMinutes(1));
    private static final int TURNS = 20;
    private static final int MANY = 100;
    private static final Duration LONGER_THAN_A_RETRY = Duration.ofSeconds(2);

    private static RedisClusterProcesses cluster;

    @TempDir
    private Path records;

    private final HintCount hints = new HintCount();
    private Clients clients;

    static boolean serversPublishInSlots() {
        return TestRedis.version() >= DocumentedUser.SHARDED_FROM;
    }

    @BeforeAll
    static void start() {
        cluster = RedisClusterProcesses.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void open() {
        cluster.repair();
        clients = Clients.open(2, TestRedis.Client.JEDIS, cluster.address(), RedisLockSettings.STANDARD, hints);
    }

    @AfterEach
    void close() {
        clients.close();
    }

    private static void permit(String... rules) {
        cluster.nodes().forEach(node -> node.ask(jedis -> jedis.aclSetUser("default", rules)));
    }

    /** How many messages the nodes have sent to each other for published ones. */
    private static long onTheBus() {
        return cluster.nodes().stream()
                .filter(ServerNode::isRunning)
                .mapToLong(node -> node.ask(Jedis::clusterInfo)
                        .lines()
                        .filter(line -> line.startsWith("cluster_stats_messages_publish_sent:"))
                        .mapToLong(line -> Long.parseLong(line.split(":")[1].strip()))
                        .sum())
                .sum();
    }

    private static int subscribedInSlot(int slot) {
        return cluster.masterOf(slot)
                .ask(jedis -> jedis.pubsubShardChannels("holdfast:wake:{" + KEY + "}:*"))
                .size();
    }

    private Path directory(String name) throws IOException {
        return Files.createDirectory(records.resolve(name));
    }

    /** Both clients hear of their turns, and no node passes a message on. */
    private void awaitNothingOnTheBus(Rush rush) {
        Clients.await(() -> {
            long before = onTheBus();
            hints.awaitHintsOfAll(TURNS);
            rush.awaitTurnsOfAll(TURNS);
            return onTheBus() == before && subscribedInSlot(SLOT) == 2;
        });
    }

    @Test
    void hand_over_is_published_on_the_server_of_the_lock_only() throws Exception {
        try (Rush rush = new Rush(clients, REQUEST, records)) {
            awaitNothingOnTheBus(rush);

            rush.assertSound();
            assertThat(rush.failures()).isEmpty();
        }
        assertThat(clients.store(0).toString()).contains("with sharded messages");
    }

    /** The connection to the former master stays in use, for another lock, when the slot comes back. */
    @Test
    void slot_that_moves_takes_the_subscriptions_along() throws Exception {
        ServerNode former = cluster.masterOf(SLOT);
        String other = IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "other:" + i)
                .filter(key -> cluster.masterOf("holdfast:{" + key + "}") == former)
                .findFirst()
                .orElseThrow();
        try (Rush rush = new Rush(clients, REQUEST, directory("moving"));
                Rush staying = new Rush(clients, REQUEST.keys(List.of(LockKey.of(other))), directory("staying"))) {
            awaitNothingOnTheBus(rush);
            for (int i = 0; i < 4; i++) {
                SlotMigration migration = cluster.migration(SLOT).begin();
                rush.awaitTurnsOfAll(TURNS);
                migration.moveKeys();
                rush.awaitTurnsOfAll(TURNS);
                migration.finish();
                awaitNothingOnTheBus(rush);
            }

            rush.assertSound();
            staying.assertSound();
            assertThat(rush.failures()).isEmpty();
            assertThat(staying.failures()).isEmpty();
        }
    }

    /** The subscriptions are sent by the threads that wait. */
    @Test
    void locks_that_many_threads_begin_to_wait_for_at_once_are_all_subscribed_to() {
        awaitLearned();
        handOver(clients.get(0), clients.get(1));
        List<String> keys = IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "many:" + i)
                .filter(key -> cluster.masterOf("holdfast:{" + key + "}") == cluster.masterOf(SLOT))
                .limit(MANY)
                .toList();
        List<LockHandle> held = keys.stream()
                .map(key -> clients.get(0).acquire(REQUEST.keys(List.of(LockKey.of(key)))))
                .toList();
        List<CompletableFuture<Boolean>> waiting = keys.stream()
                .map(key -> NewThread.start(() -> {
                    try (LockHandle next = clients.get(1).acquire(REQUEST.keys(List.of(LockKey.of(key))))) {
                        return next.isHeld();
                    }
                }))
                .toList();

        Clients.await(() -> cluster.masterOf(SLOT)
                        .ask(jedis -> jedis.pubsubShardChannels("holdfast:wake:{many:*"))
                        .size()
                == MANY);
        held.forEach(LockHandle::close);
        assertThat(waiting).allSatisfy(next -> assertThat(next.join()).isTrue());
    }

    @Test
    void replica_that_takes_over_gets_the_subscriptions() throws Exception {
        try (Rush rush = new Rush(clients, REQUEST, records)) {
            awaitNothingOnTheBus(rush);
            cluster.failOver(SLOT);
            awaitNothingOnTheBus(rush);

            rush.assertSound();
        }
    }

    @Test
    void master_that_is_killed_loses_no_waiter() throws Exception {
        try (Rush rush = new Rush(clients, REQUEST, records)) {
            awaitNothingOnTheBus(rush);
            ServerNode master = cluster.masterOf(SLOT);
            master.kill();
            cluster.awaitOtherMaster(SLOT, master);
            awaitNothingOnTheBus(rush);

            rush.assertTokensIncrease();
        }
    }

    @Test
    void client_that_is_not_subscribed_in_the_slot_is_notified_on_its_own_channel() {
        HintCount theirs = new HintCount();
        try (Clients others =
                Clients.open(1, TestRedis.Client.TEMPLATE, cluster.address(), RedisLockSettings.STANDARD, theirs)) {
            awaitLearned();
            awaitHeard(theirs, () -> handOver(clients.get(0), others.get(0)));
        }
    }

    private void awaitLearned() {
        clients.get(0).inspect(KEY);
        Clients.await(() -> clients.store(0).toString().contains("with sharded messages"));
    }

    private static void handOver(LockEngine from, LockEngine to) {
        CompletableFuture<Long> next;
        try (LockHandle held = from.acquire(REQUEST)) {
            next = NewThread.start(() -> {
                try (LockHandle theirs = to.acquire(REQUEST)) {
                    return theirs.fencingToken();
                }
            });
            Clients.await(() -> from.inspect(KEY).waiters() == 1);
            held.ensureHeld();
        }
        next.join();
    }

    private static void handOverBothWays(Clients two) {
        handOver(two.get(0), two.get(1));
        handOver(two.get(1), two.get(0));
    }

    /** Calls may fail meanwhile. */
    private static void awaitHeard(HintCount hints, Runnable handOver) {
        CompletableFuture<Void> heard = CompletableFuture.runAsync(() -> hints.awaitHintsOfAll(3));
        while (!heard.isDone()) {
            try {
                handOver.run();
            } catch (LockException | CompletionException e) {
                assertThat(e)
                        .satisfiesAnyOf(
                                known -> assertThat(known).isInstanceOf(LockException.class),
                                known -> assertThat(known).hasCauseInstanceOf(LockException.class));
            }
        }
        heard.join();
    }

    @Test
    void user_who_may_not_subscribe_in_slots_is_warned_once_and_notified_by_all_servers() {
        permit("-ssubscribe");
        try (CapturedLog log = new CapturedLog("io.holdfast.lock.redis", Level.WARN)) {
            awaitLearned();
            Clients.await(() -> {
                handOver(clients.get(0), clients.get(1));
                return !log.events().isEmpty();
            });
            long end = System.nanoTime() + LONGER_THAN_A_RETRY.toNanos();
            while (System.nanoTime() - end < 0) {
                handOver(clients.get(0), clients.get(1));
            }
            long before = onTheBus();
            handOver(clients.get(0), clients.get(1));

            assertThat(onTheBus()).isGreaterThan(before);
            assertThat(log.events())
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .singleElement()
                    .asString()
                    .startsWith("Cannot subscribe to sharded channels")
                    .contains("The Redis user lacks a permission");
        } finally {
            permit("+ssubscribe");
        }
    }

    @Test
    void user_who_may_not_publish_in_slots_publishes_to_all_servers() {
        permit("-spublish");
        try {
            handOver(clients.get(0), clients.get(1));
            long before = onTheBus();
            handOver(clients.get(0), clients.get(1));

            assertThat(onTheBus()).isGreaterThan(before);
            assertThat(clients.store(0).warnings()).isEmpty();
            assertThat(clients.store(0).toString()).doesNotContain("sharded");
        } finally {
            permit("+spublish");
        }
    }

    @Test
    void scripts_that_may_publish_in_slots_only_are_no_warning() {
        permit("-publish");
        try {
            awaitLearned();
            awaitHeard(hints, () -> handOverBothWays(clients));
            assertThat(clients.store(1).warnings()).isEmpty();
        } finally {
            permit("+publish");
        }
    }

    /** Polls find the grants meanwhile; the client then notices that nothing was heard. */
    @Test
    void subscription_that_is_silent_is_replaced() {
        try (FaultProxy proxy = new FaultProxy(1);
                RedisClusterProcesses single = RedisClusterProcesses.start(
                        1, 0, Duration.ofSeconds(30), "--cluster-announce-port", String.valueOf(proxy.port()))) {
            proxy.redirect(single.nodes().get(0).port());
            RedisAddress address = new RedisAddress(RedisAddress.Kind.CLUSTER, List.of(proxy.port()));
            HintCount theirs = new HintCount();
            try (Clients behind = Clients.open(
                    2,
                    TestRedis.Client.JEDIS,
                    address,
                    RedisLockSettings.STANDARD.withCommandTimeout(Duration.ofSeconds(1)),
                    theirs)) {
                awaitHeard(theirs, () -> handOverBothWays(behind));
                proxy.silence();
                awaitHeard(theirs, () -> handOverBothWays(behind));
            }
        }
    }

    @Tag("full")
    @Test
    void subscription_ends_some_time_after_the_last_wait() {
        awaitHeard(hints, () -> handOverBothWays(clients));
        assertThat(subscribedInSlot(SLOT)).isPositive();

        Clients.await(() -> subscribedInSlot(SLOT) == 0);
        Clients.await(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("holdfast-wakeups-slots")));
    }
}
