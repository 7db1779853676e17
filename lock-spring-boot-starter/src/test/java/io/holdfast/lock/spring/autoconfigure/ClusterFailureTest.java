package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.testing.TestRedis;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Jedis connects to a cluster while the application starts: what a user reads if that fails. */
class ClusterFailureTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
            .withPropertyValues("spring.data.redis.client-type=jedis");

    @Test
    void server_that_is_not_part_of_a_cluster_is_reported_as_such() {
        runner.withPropertyValues("spring.data.redis.cluster.nodes=localhost:"
                        + TestRedis.shared().port())
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(
                                "The Redis in spring.data.redis.cluster.nodes is not part of a Redis Cluster",
                                "set spring.data.redis.host and spring.data.redis.port instead"));
    }

    @Test
    void cluster_that_cannot_be_reached_is_reported_with_what_to_check() {
        runner.withPropertyValues("spring.data.redis.cluster.nodes=localhost:1")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("Jedis connects to the Redis Cluster at startup", "Check that the nodes"));
    }
}
