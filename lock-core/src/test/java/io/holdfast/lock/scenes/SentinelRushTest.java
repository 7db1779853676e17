package io.holdfast.lock.scenes;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.testing.RedisSentinelProcesses;
import io.holdfast.lock.testing.ServerNode;
import io.holdfast.lock.testing.TestRedis;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Sentinels that make another server the master, under load. */
@Tag("faults")
@ParameterizedClass
@EnumSource(value = TestRedis.Client.class, names = "JEDIS")
class SentinelRushTest {

    private static final LockRequest REQUEST =
            LockRequest.of("order:42").lease(Duration.ofSeconds(10)).waitFor(Duration.ofMinutes(1));
    private static final int TURNS = 10;

    @Parameter
    private TestRedis.Client client;

    @TempDir
    private Path records;

    private RedisSentinelProcesses redis;
    private final HintCount hints = new HintCount();
    private Clients clients;
    private Rush rush;

    @BeforeEach
    void start() {
        redis = RedisSentinelProcesses.start();
        clients = Clients.open(3, client, redis.address(), RedisLockSettings.STANDARD, hints);
        rush = new Rush(clients, REQUEST, records);
        rush.awaitTurnsOfAll(TURNS);
    }

    @AfterEach
    void stop() {
        rush.close();
        clients.close();
        redis.close();
    }

    @Test
    void all_go_on_after_the_master_is_killed() throws Exception {
        ServerNode master = redis.master();
        master.kill();

        redis.awaitOtherMaster(master);

        rush.awaitTurnsOfAll(TURNS);
        rush.assertTokensIncrease();
    }

    @Test
    void all_go_on_after_the_master_has_hung() throws Exception {
        ServerNode master = redis.master();
        master.pause();

        redis.awaitOtherMaster(master);

        rush.awaitTurnsOfAll(TURNS);
        rush.assertTokensIncrease();
    }

    @Test
    void waiters_are_told_of_their_turn_while_a_master_that_was_replaced_still_hangs() throws Exception {
        ServerNode master = redis.master();
        master.pause();

        redis.awaitOtherMaster(master);

        hints.awaitHintsOfAll(TURNS);
        rush.awaitTurnsOfAll(TURNS);
        rush.assertTokensIncrease();
    }

    @Test
    void all_go_on_after_two_masters_in_a_row_are_killed() throws Exception {
        for (int i = 0; i < 2; i++) {
            ServerNode master = redis.master();
            master.kill();
            redis.awaitOtherMaster(master);
            rush.awaitTurnsOfAll(TURNS);
        }

        rush.assertTokensIncrease();
    }

    @Test
    void all_go_on_after_a_sentinel_is_killed() throws Exception {
        redis.sentinels().get(0).kill();
        ServerNode master = redis.master();
        master.kill();

        redis.awaitOtherMaster(master);

        rush.awaitTurnsOfAll(TURNS);
        rush.assertTokensIncrease();
    }
}
