package io.holdfast.lock.redis.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.testing.TestRedis;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import redis.clients.jedis.JedisPoolConfig;

class ApplicationConnectionsTest {

    private static <T> T fake(Class<T> type, InvocationHandler calls) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
    }

    @Test
    void reply_counts_even_if_the_connection_cannot_be_given_back() {
        byte[] reply = {'1'};
        RedisScriptingCommands scripts = fake(RedisScriptingCommands.class, (proxy, method, arguments) -> reply);
        RedisConnection connection = fake(RedisConnection.class, (proxy, method, arguments) -> {
            if (method.getName().equals("close")) {
                throw new RedisSystemException("The pool is closed", null);
            }
            return method.getName().equals("isPipelined") ? false : scripts;
        });
        RedisConnectionFactory applications =
                fake(RedisConnectionFactory.class, (proxy, method, arguments) -> connection);
        ScriptCall call = new ScriptCall(LuaScript.RELEASE, 1, new byte[][] {{'k'}}, false);

        RedisTemplate<byte[], byte[]> template = new RedisTemplate<>();
        template.setConnectionFactory(applications);
        template.afterPropertiesSet();

        List<Object> replies = new ApplicationConnections(applications, "Redis")
                .send(template, false, new Wire.Calls(List.of(call), false, Wire.Acks.NONE, 0, null))
                .get();

        assertThat(replies).containsExactly(reply);
    }

    /** Whoever builds the client may have told it to repeat calls. */
    @Test
    void client_with_a_customizer_may_repeat_calls() {
        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration();
        JedisClientConfiguration customized =
                JedisClientConfiguration.builder().customizeClient(client -> {}).build();

        assertThat(new ApplicationConnections(new JedisConnectionFactory(server), "Redis").isRepeating())
                .isFalse();
        assertThat(new ApplicationConnections(new JedisConnectionFactory(server, customized), "Redis").isRepeating())
                .isTrue();
    }

    private static JedisConnectionFactory withOneConnection(boolean unified) {
        JedisPoolConfig pool = new JedisPoolConfig();
        pool.setMaxTotal(1);
        pool.setMaxWait(Duration.ofSeconds(1));
        pool.setJmxEnabled(false);
        JedisConnectionFactory factory = new JedisConnectionFactory(
                new RedisStandaloneConfiguration("127.0.0.1", TestRedis.shared().port()),
                JedisClientConfiguration.builder().usePooling().poolConfig(pool).build());
        factory.setUseUnifiedJedis(unified);
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    /** The view of a client that has a pool need not be closed; a connection of a pool has to be given back. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void connection_of_jedis_is_closed_only_if_it_has_to_be_given_back(boolean unified) {
        JedisConnectionFactory applications = withOneConnection(unified);
        RedisLockSettings settings =
                RedisLockSettings.STANDARD.withConnection(RedisLockSettings.Connection.APPLICATION);
        RedisTemplate<byte[], byte[]> template = RedisLockStore.template(applications, settings);
        try (RedisLockStore store = new RedisLockStore(template, settings)) {
            for (int i = 0; i < 3; i++) {
                assertThat(store.inspect(LockKey.of("given-back")).holders()).isEmpty();
            }
            try (RedisConnection connection =
                    template.getRequiredConnectionFactory().getConnection()) {
                assertThat(connection.getClass() == JedisConnection.class).isEqualTo(!unified);
            }
        }
        applications.destroy();
    }
}
