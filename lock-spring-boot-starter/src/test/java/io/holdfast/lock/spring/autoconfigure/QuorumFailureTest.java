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
import org.springframework.boot.context.properties.source.MutuallyExclusiveConfigurationPropertiesException;
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
                    a:1                         | odd number of servers, at least 3
                    a:1,b:1                     | odd number of servers, at least 3
                    a:1,redis://u:p@b:1,c:1,d:1 | odd number of servers, at least 3
                    a:1,b:1,A:1                 | listed twice in [a:1, b:1, a:1]
                    a:1,b:1,redis://u:p@a:1/3   | listed twice in [a:1, b:1, a:1]
                    a:1,b:1,c:0                 | holdfast.quorum.nodes[2] is not the URL
                    a:1,http://b:1,c:1          | holdfast.quorum.nodes[1] is not the URL
                    a:1,b:1,redis://u:secret%@c | holdfast.quorum.nodes[2] is not the URL
                    """)
    void list_that_is_no_quorum_says_why(String nodes, String reason) {
        quorum("holdfast.quorum.nodes=" + nodes).run(context -> {
            assertThat(Startup.failureOf(context))
                    .contains("holdfast.quorum", reason)
                    .doesNotContain("secret");
            StringWriter trace = new StringWriter();
            context.getStartupFailure().printStackTrace(new PrintWriter(trace));
            assertThat(trace.toString()).doesNotContain("secret");
        });
    }

    @Test
    void action_shows_a_list_that_is_right() {
        quorum("holdfast.quorum.nodes=a:1,b:1")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("such as redis1.example.com:6379,redis2.example.com:6379,redis3.example.com:6379"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    holdfast.quorum.command-timeout | 5ms  | 10 ms and 60 s
                    holdfast.quorum.rejoin-delay | -1ms | 0 ms and 365 days
                    """)
    void bad_value_names_property_and_value_and_what_is_allowed(String property, String value, String allowed) {
        quorum(property + "=" + value)
                .run(context -> assertThat(Startup.failureOf(context)).contains("property '" + property, allowed));
    }

    @Test
    void one_redis_beside_a_quorum_is_refused() {
        quorum("holdfast.redis.url=redis://d:1")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(MutuallyExclusiveConfigurationPropertiesException.class)
                        .hasMessageContainingAll("holdfast.quorum.nodes", "holdfast.redis.url"));
    }

    @Test
    void replicas_of_a_quorum_are_not_awaited() {
        quorum("holdfast.redis.replica-acks.count=1")
                .run(context ->
                        assertThat(Startup.failureOf(context)).contains("holdfast.redis.replica-acks.count", "quorum"));
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
                        .contains("holdfast.quorum.rejoin-delay", "shorter than holdfast.lease"));
    }

    @Test
    void lease_as_long_as_the_rejoin_delay_is_allowed() {
        quorum("holdfast.lease=40s", "holdfast.quorum.rejoin-delay=40s")
                .run(context -> assertThat(context).hasNotFailed());
        quorum("holdfast.lease=40s").run(context -> assertThat(context).hasNotFailed());
    }
}
