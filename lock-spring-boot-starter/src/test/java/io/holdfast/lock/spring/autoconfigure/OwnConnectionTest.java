package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.LockConnectionFactory;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.util.UUID;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.StringRedisTemplate;
import redis.clients.jedis.Jedis;

/** The application's server is the shared one; that of its locks wants a password. */
@Timeout(60)
class OwnConnectionTest {

    private static final String USER = "locker";
    private static final String PASSWORD = "${not}a:placeholder";

    private static RedisServerProcess own;

    private final String key = "own-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        own = RedisServerProcess.start(
                "--requirepass", PASSWORD, "--user", USER, "on", ">" + PASSWORD, "~*", "&*", "+@all");
    }

    @AfterAll
    static void stop() {
        own.close();
    }

    private static String[] ownServer() {
        return new String[] {
            "holdfast.redis.url=" + url(0), "holdfast.redis.command-timeout=30s" // the machine may stand still
        };
    }

    private static String url(int database) {
        return "redis://" + USER + ":$%7Bnot%7Da:placeholder@127.0.0.1:" + own.port() + "/" + database;
    }

    private static ApplicationContextRunner application() {
        return Runners.redis().withPropertyValues(ownServer());
    }

    private boolean isOnOwnServer(int database) {
        try (Jedis jedis = TestRedis.administrator(own.port())) {
            jedis.auth(USER, PASSWORD);
            jedis.select(database);
            return jedis.hexists("holdfast:{" + key + "}", "owner");
        }
    }

    private boolean isOnApplicationsServer() {
        try (Jedis jedis = TestRedis.administrator(TestRedis.shared().port())) {
            return jedis.exists("holdfast:{" + key + "}");
        }
    }

    private void locksOnOwnServer(AssertableApplicationContext context, int database) {
        assertThat(context).hasNotFailed();
        context.getBean(LockTemplate.class).execute(key, () -> {
            assertThat(isOnOwnServer(database)).isTrue();
            assertThat(isOnApplicationsServer()).isFalse();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "dedicated"})
    void locks_have_a_server_of_their_own(String connection) {
        application()
                .withPropertyValues("holdfast.redis.connection=" + connection)
                .run(context -> locksOnOwnServer(context, 0));
    }

    record Templates(ObjectProvider<RedisTemplate<?, ?>> injected) {}

    @Test
    void application_keeps_its_own_connection_and_everything_made_from_it() {
        application().withUserConfiguration(Templates.class).run(context -> {
            assertThat(context)
                    .hasSingleBean(RedisConnectionFactory.class)
                    .hasSingleBean(DataRedisConnectionDetails.class)
                    .hasSingleBean(DataRedisProperties.class)
                    .hasSingleBean(StringRedisTemplate.class);
            assertThat(context.getBean(Templates.class).injected().stream()).hasSize(2);
            context.getBean(StringRedisTemplate.class).opsForValue().set("holdfast:{" + key + "}", "the application's");
            assertThat(isOnApplicationsServer()).isTrue();
        });
    }

    @Test
    void url_says_user_password_and_database() {
        Runners.redis().withPropertyValues("holdfast.redis.url=" + url(5)).run(context -> locksOnOwnServer(context, 5));
    }

    @Test
    void application_may_have_no_redis_and_has_none_then() {
        Runners.starter()
                .withPropertyValues("holdfast.redis.url=" + url(3), "holdfast.redis.command-timeout=30s")
                .run(context -> {
                    locksOnOwnServer(context, 3);
                    assertThat(context).doesNotHaveBean(RedisConnectionFactory.class);
                });
    }

    @Test
    void nothing_is_taken_over_from_the_application() {
        Runners.starter()
                .withPropertyValues(ownServer())
                .withPropertyValues("holdfast.redis.command-timeout=30s")
                .withPropertyValues("spring.data.redis.database=7", "spring.data.redis.host=unknown.invalid")
                .run(context -> locksOnOwnServer(context, 0));
    }

    @Configuration(proxyBeanMethods = false)
    static class Details {
        @Bean
        LockConnectionDetails details() {
            return new LockConnectionDetails() {
                @Override
                public String getUsername() {
                    return USER;
                }

                @Override
                public String getPassword() {
                    return PASSWORD;
                }

                @Override
                public Standalone getStandalone() {
                    return new Standalone("127.0.0.1", own.port(), 4);
                }
            };
        }
    }

    /** So a test can use a container for an application that has a quorum in production. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "holdfast.redis.url=redis://unknown.invalid",
                "holdfast.quorum.nodes=a.invalid,b.invalid,c.invalid",
                "holdfast.quorum.nodes=",
                "holdfast.redis.connection=application"
            })
    void connection_details_come_before_properties(String property) {
        Runners.redis()
                .withUserConfiguration(Details.class)
                .withPropertyValues(property)
                .run(context -> locksOnOwnServer(context, 4));
    }

    @Configuration(proxyBeanMethods = false)
    static class Marked {
        @Bean(defaultCandidate = false)
        @LockConnectionFactory
        RedisConnectionFactory marked() {
            return TestRedis.jedis(TestRedis.shared().port());
        }
    }

    @Test
    void connection_details_come_before_a_marked_factory() {
        Runners.redis().withUserConfiguration(Details.class, Marked.class).run(context -> locksOnOwnServer(context, 4));
    }

    /** As in {@code nodes: ${NODES:}}. */
    @Test
    void blank_nodes_are_none() {
        application().withPropertyValues("holdfast.quorum.nodes=").run(context -> locksOnOwnServer(context, 0));
    }

    @Test
    void locks_are_given_back_before_their_connection_ends() {
        application().run(context -> {
            LockHandle held = context.getBean(LockTemplate.class).acquire(key);
            assertThat(isOnOwnServer(0)).isTrue();
            context.getSourceApplicationContext().close();
            assertThat(held.isHeld()).isFalse();
            assertThat(isOnOwnServer(0)).isFalse();
        });
    }

    private static void onDeadServer(IntConsumer body) {
        RedisServerProcess server = RedisServerProcess.start();
        server.kill();
        body.accept(server.port());
    }

    @Test
    void application_starts_while_the_own_server_is_down_and_locks_fail() {
        onDeadServer(port -> Runners.redis()
                .withPropertyValues("holdfast.redis.url=redis://127.0.0.1:" + port)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThatThrownBy(() -> context.getBean(LockTemplate.class).tryAcquire(key))
                            .isInstanceOf(LockStoreException.class);
                }));
    }

    @Test
    void fail_fast_asks_the_own_server() {
        onDeadServer(port -> Runners.redis()
                .withPropertyValues("holdfast.redis.url=redis://127.0.0.1:" + port, "holdfast.fail-fast=true")
                .run(context ->
                        assertThat(Startup.failureOf(context)).contains("is not available", "holdfast.redis.url")));
    }
}
