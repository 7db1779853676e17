package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;

/** A server that turns new connections away, since it has as many as it may. */
class MaxClientsTest {

    @ParameterizedTest
    @EnumSource(TestRedis.Client.class)
    void failure_says_so(TestRedis.Client client) {
        try (RedisServerProcess server = RedisServerProcess.start("--requirepass", "secret");
                Jedis administrator = TestRedis.administrator(server.port())) {
            administrator.auth("secret");
            administrator.configSet("maxclients", "1");
            RedisConnectionFactory applications = client.connect(server.port(), "default", "secret");
            try (RedisLockStore store = new RedisLockStore(applications, RedisLockSettings.STANDARD)) {

                Awaitility.await()
                        .until(
                                () -> messageOfFailure(store),
                                message -> message.contains("max number of clients reached")
                                        && message.contains("reached maxclients")
                                        && !message.contains("version"));
            }
            TestRedis.destroy(applications);
        }
    }

    /** A driver may notice nothing but the end of the connection, as Jedis does without a password. */
    private static String messageOfFailure(RedisLockStore store) {
        return String.valueOf(
                catchThrowable(() -> store.inspect(LockKey.of("order:42"))).getMessage());
    }
}
