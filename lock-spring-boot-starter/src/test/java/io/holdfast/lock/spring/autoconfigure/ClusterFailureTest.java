package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.testing.RedisSentinelProcesses;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Drivers connect to a cluster or to sentinels while the application starts: what a user reads if that fails. */
class ClusterFailureTest {

    @Test
    void unknown_name_of_a_primary_is_reported_with_its_property() {
        try (RedisSentinelProcesses servers = RedisSentinelProcesses.start(0, Duration.ofSeconds(5))) {
            for (String client : List.of("lettuce")) {
                Runners.redis()
                        .withPropertyValues(
                                "spring.data.redis.client-type=" + client,
                                "spring.data.redis.sentinel.nodes=127.0.0.1:"
                                        + servers.sentinels().get(0).port(),
                                "spring.data.redis.sentinel.master=nobody",
                                "holdfast.fail-fast=true")
                        .run(context -> assertThat(Startup.failureOf(context))
                                .contains("nobody", "Check that spring.data.redis.sentinel.master is the name")
                                .doesNotContain("was lost"));
            }
        }
    }

    @Test
    void lettuce_reports_a_cluster_that_cannot_be_reached_with_its_address() {
        Runners.redis()
                .withPropertyValues(
                        "spring.data.redis.client-type=lettuce",
                        "spring.data.redis.cluster.nodes=localhost:1",
                        "holdfast.fail-fast=true")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("localhost:1 cannot be reached", "Connection refused")
                        .doesNotContain("Details"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"jedis", "lettuce"})
    void database_that_the_server_does_not_have_is_reported_with_its_property(String client) {
        Runners.redis()
                .withPropertyValues(
                        "spring.data.redis.client-type=" + client,
                        "spring.data.redis.database=9999",
                        "holdfast.fail-fast=true")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(
                                "does not have that database: check spring.data.redis.database",
                                "Fix the problem given in the description.")
                        .doesNotContain("server version"));
    }
}
