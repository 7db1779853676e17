package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.LockConnectionFactory;
import io.holdfast.lock.testing.TestRedis;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** What a user reads when the locks' own connection cannot be made. */
class OwnConnectionFailureTest {

    @Configuration(proxyBeanMethods = false)
    static class Marked {
        @Bean
        @LockConnectionFactory
        RedisConnectionFactory marked() {
            return TestRedis.jedis(TestRedis.shared().port());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1:6379",
                "redis://127.0.0.1:70000",
                "redis://127.0.0.1:0",
                "redis://127.0.0.1:6379/two",
                "redis://127.0.0.1:6379?a=b",
                "redis://127.0.0.1:6379#a",
                "redis:127.0.0.1:6379",
                "redis://user:secret%@127.0.0.1:6379",
                "redis://user:secret@127.0.0.1/two",
                "http://user:secret@host:1"
            })
    void what_is_no_url_of_redis_is_refused_without_showing_its_password(String url) {
        Runners.redis().withPropertyValues("holdfast.redis.url=" + url).run(context -> {
            assertThat(Startup.failureOf(context))
                    .contains("holdfast.redis.url is not the URL of a Redis server", "host[:port][/database]")
                    .doesNotContain("secret");
            StringWriter trace = new StringWriter();
            context.getStartupFailure().printStackTrace(new PrintWriter(trace));
            assertThat(trace.toString()).doesNotContain("secret");
        });
    }

    @Test
    void blank_bundle_is_none() {
        Runners.redis()
                .withPropertyValues("holdfast.redis.ssl.bundle=")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void bundle_without_a_url_is_refused() {
        Runners.redis()
                .withPropertyValues("holdfast.redis.ssl.bundle=locks")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("holdfast.redis.ssl.bundle", "holdfast.redis.url, which is not set"));
    }

    @Test
    void marked_factory_beside_a_connection_of_their_own_is_refused() {
        Runners.redis()
                .withUserConfiguration(Marked.class)
                .withPropertyValues("holdfast.redis.url=redis://127.0.0.1:1")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("holdfast.redis.url", "@LockConnectionFactory on marked", "Remove one"));
    }

    @Test
    void jedis_that_is_not_there_is_named() {
        Runners.starter()
                .withClassLoader(new FilteredClassLoader("redis.clients"))
                .withPropertyValues("holdfast.redis.url=redis://127.0.0.1")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(
                                "Locks use Jedis for 127.0.0.1:6379, but Jedis is not on the classpath.",
                                "Add redis.clients:jedis, or let locks use a RedisConnectionFactory of the"
                                        + " application."));
    }

    @Test
    void unknown_bundle_is_named() {
        Runners.redis()
                .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
                .withPropertyValues("holdfast.redis.url=redis://127.0.0.1", "holdfast.redis.ssl.bundle=locks")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(NoSuchSslBundleException.class)
                        .hasMessageContaining("locks"));
    }

    @Test
    void driver_that_shares_the_connections_of_the_application_has_none_to_share() {
        Runners.redis()
                .withPropertyValues("holdfast.redis.url=redis://127.0.0.1", "holdfast.redis.connection=application")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("holdfast.redis.connection", "do not use the application's connections"));
    }
}
