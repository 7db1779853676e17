package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.mock.env.MockEnvironment;
import redis.clients.jedis.Jedis;

/** Without Spring Boot's module for Redis, its properties say where locks are all the same. */
@Timeout(60)
class SpringDataRedisTest {

    private static final String PASSWORD = "p@ss:w%rd+";

    private static RedisServerProcess server;

    private final String key = "plain-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        server = RedisServerProcess.start("--user", "app", "on", ">" + PASSWORD, "~*", "&*", "+@all");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static ApplicationContextRunner application() {
        return Runners.starter().withPropertyValues("holdfast.redis.command-timeout=30s");
    }

    private void locksIn(int database, ApplicationContextRunner application) {
        application.run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(RedisConnectionFactory.class);
            context.getBean(LockTemplate.class).execute(key, () -> {
                try (Jedis jedis = TestRedis.administrator(server.port())) {
                    jedis.select(database);
                    assertThat(jedis.hexists("lock:{" + key + "}", "owner")).isTrue();
                }
            });
        });
    }

    @Test
    void host_port_database_user_and_password_are_read() {
        locksIn(
                2,
                application()
                        .withPropertyValues(
                                "spring.data.redis.host=127.0.0.1",
                                "spring.data.redis.port=" + server.port(),
                                "spring.data.redis.database=2",
                                "spring.data.redis.username=app",
                                "spring.data.redis.password=" + PASSWORD));
    }

    @Test
    void url_comes_before_the_others() {
        locksIn(
                6,
                application()
                        .withPropertyValues(
                                "spring.data.redis.host=unknown.invalid",
                                "spring.data.redis.port=1",
                                "spring.data.redis.database=2",
                                "spring.data.redis.username=nobody",
                                "spring.data.redis.url=redis://app:p%40ss:w%25rd+@127.0.0.1:" + server.port() + "/6"));
    }

    @Test
    void server_on_this_machine_is_the_default() {
        RedisServer server = new SpringDataRedis(Binder.get(new MockEnvironment())).server(new SslBundleLookup(null));

        assertThat(server).isEqualTo(new RedisServer("localhost", 6379, 0, null, null, false, null));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    spring.data.redis.url        | http://127.0.0.1 | redis://
                    spring.data.redis.port       | 0                | 1 to 65535
                    spring.data.redis.database   | -1               | 0 or greater
                    spring.data.redis.ssl.bundle | mine             | spring.ssl.bundle
                    """)
    void bad_value_names_property_and_value_and_what_is_allowed(String property, String value, String allowed) {
        application()
                .withPropertyValues(property + "=" + value)
                .run(context ->
                        assertThat(Startup.failureOf(context)).contains(property + " is '" + value + "'", allowed));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"sentinel.nodes=a:1,b:1", "cluster.nodes=a:1", "cluster.nodes[0]=a:1", "masterreplica.nodes=a:1"
            })
    void other_topologies_need_spring_boots_module(String property) {
        application()
                .withPropertyValues("spring.data.redis." + property)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(property.replaceAll("(\\[0])?=.*", "") + " is set", "spring-boot-data-redis"));
    }
}
