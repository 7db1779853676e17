package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** The password may be in any of three properties: the message names them all. */
class WrongPasswordTest {

    @ParameterizedTest
    @EnumSource(TestRedis.Client.class)
    void wrong_password_is_reported_with_the_properties_that_may_have_it(TestRedis.Client client) {
        try (RedisServerProcess server = RedisServerProcess.start("--requirepass", "secret")) {
            assertRefused(
                    client.connect(server.port(), "default", "wrong"),
                    "WRONGPASS",
                    "The user name or password is wrong: check spring.data.redis.username and password, or"
                            + " holdfast.redis.url or holdfast.quorum.nodes if set.");
        }
    }

    @ParameterizedTest
    @EnumSource(TestRedis.Client.class)
    void missing_password_is_reported_with_the_properties_that_may_have_it(TestRedis.Client client) {
        try (RedisServerProcess server = RedisServerProcess.start("--requirepass", "secret")) {
            assertRefused(
                    client.connect(server.port()),
                    "NOAUTH",
                    "The server requires a password: set spring.data.redis.password, or add it to holdfast.redis.url"
                            + " or holdfast.quorum.nodes if set.");
        }
    }

    /**
     * One of a thousand attempts of Lettuce reports instead that the connection was closed, or "RedisHandshakeHandler not
     * registered": it closes a connection that was refused, and the close may overtake the reason. Another attempt is another race.
     */
    private static void assertRefused(RedisConnectionFactory applications, String... texts) {
        try (RedisLockStore store = new RedisLockStore(applications, TestRedis.PATIENT)) {
            LockStoreException refused = refused(store);
            for (int i = 0; i < 20 && !String.valueOf(refused.getMessage()).contains(texts[0]); i++) {
                refused = refused(store);
            }
            assertThat(refused).hasMessageContainingAll(texts);
        } finally {
            TestRedis.destroy(applications);
        }
    }

    private static LockStoreException refused(RedisLockStore store) {
        return catchThrowableOfType(LockStoreException.class, () -> store.inspect(LockKey.of("order:42")));
    }
}
