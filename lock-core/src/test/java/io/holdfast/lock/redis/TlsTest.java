package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** What the application's connections do not trust, or are not trusted with, the locks' connections are not either. */
class TlsTest {

    @ParameterizedTest
    @EnumSource
    void server_whose_certificate_is_not_trusted_gets_no_commands(TestRedis.Client client) {
        assertFails(RedisTopology.tls().connectSuspicious(client), "certificate");
    }

    @ParameterizedTest
    @EnumSource
    void client_without_the_password_is_refused(TestRedis.Client client) {
        assertFails(RedisTopology.tls().connectWithoutPassword(client), "NOAUTH");
    }

    private static void assertFails(RedisConnectionFactory application, String reason) {
        // A first connection with TLS loads hundreds of classes.
        RedisLockStore store =
                new RedisLockStore(application, RedisLockSettings.STANDARD.withCommandTimeout(Duration.ofSeconds(30)));
        try {
            assertThatThrownBy(() -> store.inspect(LockKey.of("order:42")))
                    .isInstanceOf(LockStoreException.class)
                    .hasStackTraceContaining(reason);
        } finally {
            store.close();
            TestRedis.destroy(application);
        }
    }
}
