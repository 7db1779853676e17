package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.testing.DocumentedUser;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.ServerNode;
import io.holdfast.lock.testing.SlotMigration;
import io.holdfast.lock.testing.TestRedis;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node joins a cluster and takes slots from each of the others, while clients wait for locks in these slots: for one, and for several at
 * the same time. With one connection to each node: one that is not given back would stop everybody.
 */
@Timeout(300)
class JoiningNodeTest {

    private static final Duration NODE_TIMEOUT = Duration.ofMinutes(5);
    private static final int TURNS = 5;

    @TempDir
    private Path records;

    private static String redisKey(String key) {
        return "holdfast:{" + key + "}";
    }

    private static List<String> keysOn(ServerNode node, RedisClusterProcesses cluster, int number) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "join:" + i)
                .filter(key -> cluster.masterOf(redisKey(key)) == node)
                .limit(number)
                .toList();
    }

    private static LockRequest request(List<String> keys) {
        return LockRequest.ofAll(keys).lease(Duration.ofSeconds(30)).waitFor(Duration.ofMinutes(1));
    }

    private static void awaitTurns(List<Rush> rushes) {
        rushes.forEach(rush -> rush.awaitTurnsOfAll(TURNS));
    }

    @Test
    void node_that_joins_takes_slots_without_loss() throws Exception {
        HintCount hints = new HintCount();
        try (RedisClusterProcesses cluster = RedisClusterProcesses.start(3, 0, NODE_TIMEOUT);
                Clients clients = Clients.open(
                        2, TestRedis.Client.JEDIS, cluster.address(), TestRedis.PATIENT.withMaxConnections(1), hints)) {
            List<List<String>> onEach = cluster.nodes().stream()
                    .map(node -> keysOn(node, cluster, 3))
                    .toList();
            List<String> several = onEach.stream()
                    .flatMap(keys -> keys.subList(0, 2).stream())
                    .sorted()
                    .toList();
            String single = onEach.get(0).get(2);
            List<String> moving = onEach.stream().map(keys -> keys.get(0)).toList();
            try (Rush ofSeveral =
                            new Rush(clients, request(several), Files.createDirectory(records.resolve("several")));
                    Rush ofOne = new Rush(
                            clients, request(List.of(single)), Files.createDirectory(records.resolve("one")))) {
                List<Rush> rushes = List.of(ofSeveral, ofOne);
                awaitTurns(rushes);

                ServerNode joined = cluster.join(NODE_TIMEOUT);
                awaitTurns(rushes);
                for (String key : IntStream.range(0, 4)
                        .mapToObj(i -> i < 3 ? moving.get(i) : single)
                        .toList()) {
                    SlotMigration migration = cluster.migration(RedisClusterProcesses.slot(redisKey(key)), joined);
                    migration.begin();
                    awaitTurns(rushes);
                    migration.moveKeys();
                    awaitTurns(rushes);
                    migration.finish();
                    awaitTurns(rushes);
                }
                assertThat(cluster.masterOf(redisKey(single))).isSameAs(joined);
                hints.awaitHintsOfAll(TURNS);
                awaitSubscribed(joined, single);

                for (Rush rush : rushes) {
                    rush.assertSound();
                    assertThat(rush.failures()).isEmpty();
                    assertThat(rush.longestGap()).isLessThan(Contest.MAX_GAP); // P5, as far as on a busy machine
                }
            }
            for (int client = 0; client < clients.size(); client++) {
                try (LockHandle all = clients.get(client).acquire(request(several))) {
                    assertThat(all.isHeld()).isTrue();
                    assertThat(all.fencingToken(LockKey.of(moving.get(0)))).isPositive();
                }
            }
        }
    }

    /** Where servers publish in the slot of a lock, both clients subscribe on the new node. */
    private static void awaitSubscribed(ServerNode joined, String key) {
        if (TestRedis.version() >= DocumentedUser.SHARDED_FROM) {
            Clients.await(() -> joined.ask(jedis -> jedis.pubsubShardChannels("holdfast:wake:{" + key + "}:*"))
                            .size()
                    == 2);
        }
    }
}
