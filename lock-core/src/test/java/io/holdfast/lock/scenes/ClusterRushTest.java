package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.ServerNode;
import io.holdfast.lock.testing.SlotMigration;
import io.holdfast.lock.testing.TestRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What a cluster does with its nodes and slots, under load. */
@Tag("faults")
@ParameterizedClass
@EnumSource(value = TestRedis.Client.class, names = "JEDIS")
class ClusterRushTest {

    private static final String KEY = "order:42";
    private static final int SLOT = RedisClusterProcesses.slot("holdfast:{" + KEY + "}");
    private static final LockRequest REQUEST =
            LockRequest.of(KEY).lease(Duration.ofSeconds(10)).waitFor(Duration.ofMinutes(1));
    private static final int TURNS = 10;

    private static RedisClusterProcesses cluster;

    @Parameter
    private TestRedis.Client client;

    @TempDir
    private Path records;

    private final HintCount hints = new HintCount();
    private Clients clients;
    private Rush rush;

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
        clients = Clients.open(3, client, cluster.address(), RedisLockSettings.STANDARD, hints);
        rush = new Rush(clients, REQUEST, records);
        rush.awaitTurnsOfAll(TURNS);
    }

    @AfterEach
    void close() {
        rush.close();
        clients.close();
    }

    @Test
    void all_go_on_after_the_master_is_killed() throws Exception {
        ServerNode master = cluster.masterOf(SLOT);
        master.kill();

        cluster.awaitOtherMaster(SLOT, master);

        rush.awaitTurnsOfAll(TURNS);
        rush.assertTokensIncrease();
    }

    @Test
    void all_go_on_after_the_master_has_hung() throws Exception {
        ServerNode master = cluster.masterOf(SLOT);
        master.pause();

        cluster.awaitOtherMaster(SLOT, master);

        rush.awaitTurnsOfAll(TURNS);
        master.resume();
        rush.awaitTurnsOfAll(TURNS);
        rush.assertTokensIncrease();
    }

    /** For longer than a lease, so that it was renewed by the one that took its place. */
    @Test
    void lock_is_held_on_while_its_master_hangs() throws Exception {
        Duration lease = Duration.ofSeconds(30);
        String key = "held:" + UUID.randomUUID();
        try (LockHandle held = clients.get(0).acquire(LockRequest.of(key).lease(lease))) {
            int slot = RedisClusterProcesses.slot("holdfast:{" + key + "}");
            ServerNode master = cluster.masterOf(slot);
            master.pause();
            cluster.awaitOtherMaster(slot, master);

            Thread.sleep(lease.plusSeconds(5).toMillis());

            assertThat(held.isHeld()).isTrue();
            master.resume();
        }
    }

    /** Whether locks are on that node, or others. */
    @Test
    void waiters_are_told_of_their_turn_while_a_node_hangs_that_told_them() throws Exception {
        ServerNode node = cluster.nodes().stream()
                .filter(each -> !each.ask(jedis -> jedis.pubsubChannels("holdfast:wake:*"))
                        .isEmpty())
                .findFirst()
                .orElseThrow();
        node.pause();

        hints.awaitHintsOfAll(TURNS);
        rush.awaitTurnsOfAll(TURNS);
        node.resume();
        rush.awaitTurnsOfAll(TURNS);
        rush.assertTokensIncrease();
    }

    @Test
    void failover_by_hand_breaks_nothing() throws Exception {
        for (int i = 0; i < 2; i++) {
            cluster.failOver(SLOT);
            rush.awaitTurnsOfAll(TURNS);
        }

        rush.assertSound();
    }

    @Test
    void slot_that_moves_breaks_nothing_and_nobody_notices() throws Exception {
        for (int i = 0; i < 5; i++) {
            SlotMigration migration = cluster.migration(SLOT).begin();
            rush.awaitTurnsOfAll(TURNS);
            migration.moveKeys();
            rush.awaitTurnsOfAll(TURNS);
            migration.finish();
            rush.awaitTurnsOfAll(TURNS);
        }

        rush.assertSound();
        assertThat(rush.failures()).isEmpty();
    }
}
