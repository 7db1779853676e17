package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import java.io.IOException;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** A connection factory of the application's own, of which nobody knows where it connects to. */
class UnknownFactoryTest {

    static final class OwnFactory extends JedisConnectionFactory {

        OwnFactory(RedisStandaloneConfiguration server) {
            super(server);
        }
    }

    @Test
    void failure_names_the_factory_where_it_cannot_name_the_server() throws IOException {
        int nobody;
        try (ServerSocket closedAtOnce = new ServerSocket(0)) {
            nobody = closedAtOnce.getLocalPort();
        }
        OwnFactory applications = new OwnFactory(new RedisStandaloneConfiguration("127.0.0.1", nobody));
        applications.afterPropertiesSet();
        applications.start();
        try (RedisLockStore store = new RedisLockStore(applications, RedisLockSettings.STANDARD)) {
            assertThatThrownBy(() -> store.inspect(LockKey.of("order:42")))
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageStartingWith("Redis by " + OwnFactory.class.getName() + " cannot be reached.");
        } finally {
            applications.destroy();
        }
    }
}
