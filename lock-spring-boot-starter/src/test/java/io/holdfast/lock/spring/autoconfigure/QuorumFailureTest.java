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
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** What a user reads when a quorum is not one. */
class QuorumFailureTest {

    @Configuration(proxyBeanMethods = false)
    static class Marked {
        @Bean
        @LockConnectionFactory
        RedisConnectionFactory marked() {
            return TestRedis.jedis(TestRedis.shared().port());
        }
    }

    private static ApplicationContextRunner quorum(String... properties) {
        return Runners.redis()
                .withPropertyValues("holdfast.quorum.nodes=a:1,b:1,c:1")
                .withPropertyValues(properties);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    ''                          | nodes is ''         | an odd number of servers, at least 3
                    a:1                         | nodes is 'a:1'      | an odd number of servers, at least 3
                    a:1,b:1                     | nodes is 'a:1, b:1' | an odd number of servers, at least 3
                    a:1,redis://u:p@b:1,c:1,d:1 | is 'a:1, b:1, c:1,  | an odd number of servers, at least 3
                    a:1,b:1,A:1                 | [a:1, b:1, A:1]     | without duplicates
                    a:1,b:1,redis://u:p@a:1/3   | [a:1, b:1, a:1]     | without duplicates
                    a:1,b:1,c                   | nodes[2] is 'c'     | or redis://
                    a:1,b:1,c:0                 | nodes[2] is 'c:0'   | from 1 to 65535
                    a:1,http://b:1,c:1          | nodes[1] is 'http:  | or redis://
                    a:1,b:1,u:p@c:1             | nodes[2] is '***@c  | or redis://
                    """)
    void list_that_is_no_quorum_says_what_is_allowed(String nodes, String value, String allowed) {
        quorum("holdfast.quorum.nodes=" + nodes)
                .run(context ->
                        assertThat(Startup.failureOf(context)).contains("holdfast.quorum.nodes", value, allowed));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    holdfast.quorum.node-timeout | 5ms  | 10 ms and 60 s
                    holdfast.quorum.rejoin-delay | -1ms | 0 ms and 365 days
                    holdfast.quorum.ssl.bundle   | mine | spring.ssl.bundle
                    """)
    void bad_value_names_property_and_value_and_what_is_allowed(String property, String value, String allowed) {
        quorum(property + "=" + value)
                .run(context -> assertThat(Startup.failureOf(context)).contains(property + " is '", allowed));
    }

    @Test
    void password_in_a_bad_url_is_not_shown() {
        quorum("holdfast.quorum.nodes=a:1,b:1,redis://user:secret%@c:1").run(context -> {
            assertThat(Startup.failureOf(context)).contains("redis://***@c:1").doesNotContain("secret");
            StringWriter trace = new StringWriter();
            context.getStartupFailure().printStackTrace(new PrintWriter(trace));
            assertThat(trace.toString()).contains("***@").doesNotContain("secret");
        });
    }

    @Test
    void half_of_a_password_with_a_comma_is_not_shown() {
        quorum("holdfast.quorum.nodes=redis://user:secret,rest@a:1,b:1,c:1,d:1")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("holdfast.quorum.nodes[0] is 'redis://***'")
                        .doesNotContain("secret"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "holdfast.redis.url=redis://d:1",
                "holdfast.redis.ssl.bundle=mine",
                "holdfast.redis.replica-acks.number=1"
            })
    void one_redis_beside_a_quorum_is_refused(String property) {
        quorum(property)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(
                                "holdfast.quorum.nodes is set together with "
                                        + property.substring(0, property.indexOf('=')),
                                "Remove one"));
    }

    @Test
    void marked_factory_beside_a_quorum_is_refused() {
        quorum().withUserConfiguration(Marked.class)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("holdfast.quorum.nodes", "@LockConnectionFactory on marked"));
    }

    @Test
    void lease_longer_than_the_rejoin_delay_is_refused() {
        quorum("holdfast.lease=30s", "holdfast.quorum.rejoin-delay=29s")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("holdfast.lease is 30s", "holdfast.quorum.rejoin-delay (29s)"));
    }

    @Test
    void lease_as_long_as_the_rejoin_delay_is_allowed() {
        quorum("holdfast.lease=40s", "holdfast.quorum.rejoin-delay=40s")
                .run(context -> assertThat(context).hasNotFailed());
        quorum("holdfast.lease=40s").run(context -> assertThat(context).hasNotFailed());
    }
}
