package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
                    lock.redis.url                   | 127.0.0.1:6379              | allowed is redis://
                    lock.redis.url                   | http://127.0.0.1:6379       | allowed is redis://
                    lock.redis.url                   | redis://127.0.0.1           | host:port
                    lock.redis.url                   | redis://127.0.0.1:70000     | host:port
                    lock.redis.url                   | redis://127.0.0.1:6379/two  | [/database]
                    lock.redis.url                   | redis://127.0.0.1:6379?a=b  | [/database]
                    lock.redis.url                   | redis://127.0.0.1:6379#a    | [/database]
                    lock.redis.url                   | redis:127.0.0.1:6379        | allowed is redis://
                    lock.redis.host                  | ''                          | a host name
                    lock.redis.port                  | 0                           | 1 to 65535
                    lock.redis.port                  | 65536                       | 1 to 65535
                    lock.redis.database              | -1                          | 0 or greater
                    lock.redis.sentinel.master       | ''                          | a name
                    lock.redis.sentinel.nodes        | ''                          | one or more of host:port
                    lock.redis.sentinel.nodes        | a                           | host:port
                    lock.redis.cluster.nodes         | b:0                       | host:port
                    lock.redis.cluster.nodes         | ::1:6379                    | host:port
                    lock.redis.cluster.max-redirects | -1                          | 0 or greater
                    lock.redis.client-type           | redisson                    | jedis
                    """)
    void bad_value_names_property_and_value_and_what_is_allowed(String property, String value, String allowed) {
        Runners.redis()
                .withPropertyValues(property + "=" + value)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(property, value)
                        .containsIgnoringCase(allowed));
    }

    @Test
    void bad_node_is_told_by_its_place() {
        Runners.redis()
                .withPropertyValues("lock.redis.cluster.nodes=a:1,b:0")
                .run(context ->
                        assertThat(Startup.failureOf(context)).contains("lock.redis.cluster.nodes[1] is 'b:0'"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"redis://user:secret%@127.0.0.1:6379", "redis://user:secret@127.0.0.1", "user:secret@host:1"})
    void password_in_a_bad_url_is_not_shown(String url) {
        Runners.redis().withPropertyValues("lock.redis.url=" + url).run(context -> {
            assertThat(Startup.failureOf(context)).contains("***@").doesNotContain("secret");
            StringWriter trace = new StringWriter();
            context.getStartupFailure().printStackTrace(new PrintWriter(trace));
            assertThat(trace.toString()).contains("***@").doesNotContain("secret");
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lock.redis.port=6379",
                "lock.redis.username=locker",
                "lock.redis.password=secret",
                "lock.redis.database=3",
                "lock.redis.client-type=jedis",
                "lock.redis.ssl.enabled=true",
                "lock.redis.ssl.bundle=locks",
                "lock.redis.sentinel.master=mymaster",
                "lock.redis.sentinel.username=locker",
                "lock.redis.sentinel.password=secret",
                "lock.redis.cluster.max-redirects=3"
            })
    void server_must_be_named(String property) {
        Runners.redis()
                .withPropertyValues(property)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(
                                property.substring(0, property.indexOf('=')) + " is set",
                                "which server",
                                "Set lock.redis.url, host, sentinel.nodes or cluster.nodes"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lock.redis.username=",
                "lock.redis.password=",
                "lock.redis.ssl.bundle=",
                "lock.redis.sentinel.username=",
                "lock.redis.sentinel.password="
            })
    void blank_secret_is_none(String property) {
        Runners.redis()
                .withPropertyValues(property)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void sentinel_and_cluster_exclude_each_other() {
        Runners.redis()
                .withPropertyValues("lock.redis.sentinel.nodes=a:1", "lock.redis.cluster.nodes=a:1")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("lock.redis.sentinel.nodes and lock.redis.cluster.nodes are both set"));
    }

    @Test
    void sentinels_need_the_name_of_the_master() {
        Runners.redis()
                .withPropertyValues("lock.redis.sentinel.nodes=a:1")
                .run(context -> assertThat(Startup.failureOf(context)).contains("Set lock.redis.sentinel.master"));
    }

    @Test
    void cluster_has_no_other_database() {
        Runners.redis()
                .withPropertyValues("lock.redis.cluster.nodes=a:1", "lock.redis.database=3")
                .run(context -> assertThat(Startup.failureOf(context)).contains("lock.redis.database is 3"));
    }

    @Test
    void marked_factory_beside_a_connection_of_their_own_is_refused() {
        Runners.redis()
                .withUserConfiguration(Marked.class)
                .withPropertyValues("lock.redis.host=127.0.0.1", "lock.redis.port=1")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(
                                "lock.redis.host, lock.redis.port", "@LockConnectionFactory on marked", "Remove one"));
    }

    @Test
    void client_that_is_not_there_is_named() {
        Runners.starter()
                .withClassLoader(new FilteredClassLoader("io.lettuce"))
                .withPropertyValues("lock.redis.host=127.0.0.1", "lock.redis.client-type=lettuce")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("LETTUCE", "io.lettuce:lettuce-core", "lock.redis.client-type"));
    }

    @Test
    void unknown_bundle_is_told_with_the_known_ones() {
        Runners.redis()
                .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
                .withPropertyValues(
                        "spring.ssl.bundle.jks.other.key.alias=x",
                        "lock.redis.host=127.0.0.1",
                        "lock.redis.ssl.bundle=locks")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("lock.redis.ssl.bundle is 'locks'", "spring.ssl.bundle", "[other]"));
    }

    @Test
    void native_image_is_told_what_to_do_instead() {
        assertThatThrownBy(() -> OwnConnections.refuseNativeImage("lock.quorum", true))
                .isInstanceOf(LockSetupException.class)
                .hasMessageContainingAll("lock.quorum", "native image", "@LockConnectionFactory");
    }
}
