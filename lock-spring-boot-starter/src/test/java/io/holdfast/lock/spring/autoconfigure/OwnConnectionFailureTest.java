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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
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
    @CsvSource(delimiter = '|', textBlock = """
                    holdfast.redis.url                   | 127.0.0.1:6379              | it must be redis://
                    holdfast.redis.url                   | http://127.0.0.1:6379       | it must be redis://
                    holdfast.redis.url                   | redis://127.0.0.1:70000     | host[:port]
                    holdfast.redis.url                   | redis://127.0.0.1:6379/two  | [/database]
                    holdfast.redis.url                   | redis://127.0.0.1:6379?a=b  | [/database]
                    holdfast.redis.url                   | redis://127.0.0.1:6379#a    | [/database]
                    holdfast.redis.url                   | redis:127.0.0.1:6379        | it must be redis://
                    """)
    void bad_value_names_property_and_value_and_what_is_allowed(String property, String value, String allowed) {
        Runners.redis()
                .withPropertyValues(property + "=" + value)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(property, value)
                        .containsIgnoringCase(allowed));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"redis://user:secret%@127.0.0.1:6379", "redis://user:secret@127.0.0.1/two", "user:secret@host:1"
            })
    void password_in_a_bad_url_is_not_shown(String url) {
        Runners.redis().withPropertyValues("holdfast.redis.url=" + url).run(context -> {
            assertThat(Startup.failureOf(context)).contains("***@").doesNotContain("secret");
            StringWriter trace = new StringWriter();
            context.getStartupFailure().printStackTrace(new PrintWriter(trace));
            assertThat(trace.toString()).contains("***@").doesNotContain("secret");
        });
    }

    @Test
    void bundle_needs_a_server() {
        Runners.redis()
                .withPropertyValues("holdfast.redis.ssl.bundle=locks")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("holdfast.redis.ssl.bundle is set", "holdfast.redis.url is not"));
    }

    @Test
    void blank_bundle_is_none() {
        Runners.redis()
                .withPropertyValues("holdfast.redis.ssl.bundle=")
                .run(context -> assertThat(context).hasNotFailed());
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
    void unknown_bundle_is_told_where_there_is_none() {
        Runners.redis()
                .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
                .withPropertyValues("holdfast.redis.url=redis://127.0.0.1", "holdfast.redis.ssl.bundle=locks")
                .run(context -> assertThat(Startup.failureOf(context)).contains("but none is configured there"));
    }

    @Test
    void unknown_bundle_is_told_with_the_known_ones() {
        Runners.redis()
                .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
                .withPropertyValues(
                        "spring.ssl.bundle.jks.other.key.alias=x",
                        "holdfast.redis.url=redis://127.0.0.1",
                        "holdfast.redis.ssl.bundle=locks")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("holdfast.redis.ssl.bundle is 'locks'", "spring.ssl.bundle", "[other]"));
    }
}
