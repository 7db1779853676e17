package io.holdfast.lock.redis.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;

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
}
