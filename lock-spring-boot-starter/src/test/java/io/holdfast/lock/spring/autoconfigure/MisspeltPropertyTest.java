package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Properties that nothing reads, since their names are misspelt, end the start. */
class MisspeltPropertyTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "holdfast.leese",
                "holdfast.redis.key-prefx",
                "holdfast.redis.host",
                "holdfast.quorum.node",
                "holdfast.quorum.ssl.bundel",
                "holdfast.shutdown.await",
                "holdfast.events.published",
                "holdfast.problem-details.retry",
                "holdfast.instances.order.leas",
                "holdfast.instances.orders.pay.lease"
            })
    void misspelt_property_ends_the_start(String property) {
        Runners.inMemory()
                .withPropertyValues(property + "=5")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(UnboundConfigurationPropertiesException.class)
                        .hasMessageContaining(property));
    }

    @Test
    void value_is_not_shown_since_it_may_be_a_password() {
        Runners.inMemory()
                .withPropertyValues("holdfast.redis.password=secret")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("Unknown property: holdfast.redis.password", "url")
                        .doesNotContain("secret"));
    }

    @ParameterizedTest
    @CsvSource({
        "holdfast.lesae, holdfast.lease",
        "holdfast.wait-fro, holdfast.wait-for",
        "holdfast.redis.key-prefx, holdfast.redis.key-prefix",
        "holdfast.redsi.url, holdfast.redis.url",
        "holdfast.shutdown.timeot, holdfast.shutdown.timeout",
        "holdfast.instances.order.leas, holdfast.instances.order.lease",
        "holdfast.instances[Orders.pay].wait-fr, holdfast.instances[Orders.pay].wait-for",
        "holdfast.instances.order.wait, holdfast.instances.order.wait-for",
        "holdfast.leadership.roles.outbox.leas, holdfast.leadership.roles.outbox.lease"
    })
    void property_that_was_probably_meant_is_named(String misspelt, String meant) {
        Runners.inMemory()
                .withPropertyValues(misspelt + "=5")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("Unknown property: " + misspelt, "Did you mean " + meant + "?"));
    }

    @Test
    void several_are_named_together() {
        Runners.inMemory()
                .withPropertyValues("holdfast.leese=5", "holdfast.wait-four=5")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("Did you mean holdfast.lease?", "Did you mean holdfast.wait-for?"));
    }

    @Test
    void those_of_the_group_are_named_if_none_is_similar() {
        Runners.inMemory()
                .withPropertyValues("holdfast.quorum.servers=a,b,c")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("Known properties of holdfast.quorum: ", "nodes, rejoin-delay")
                        .doesNotContain("Did you mean"));
    }

    @Test
    void on_the_first_level_properties_and_groups_are_named() {
        Runners.inMemory()
                .withPropertyValues("holdfast.wait-time=5s")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("Known properties of holdfast: ", "wait-for", "redis, "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"holdfast.colour", "holdfast.instances.orders.pay.lease"})
    void nothing_is_guessed_where_no_name_is_similar(String misspelt) {
        Runners.inMemory()
                .withPropertyValues(misspelt + "=5")
                .run(context -> assertThat(Startup.failureOf(context)).doesNotContain("Did you mean"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lock.lease=5",
                "lock.redis.port=tcp://10.0.0.11:6379",
                "holdfast.warnAfter=5s",
                "holdfast.events.enabled=false",
                "holdfast.shutdown.timeout=3s",
                "holdfast.async.maxWaiting=10",
                "holdfast.problemDetails.retryAfter=10s",
                "holdfast.instances[Orders.pay].lease=5s",
                "holdfast.instances[my.own.name].wait-for=5s",
                "holdfast.instances[a-b_C].waitFor=5s",
                "holdfast.instances.order.minHold=5s",
                "holdfast.instances.order.MAX_HOLD=5s",
                "holdfast.instances.lease.renew=false",
                "holdfast.instances.order.limit=5"
            })
    void property_of_the_application_or_of_ours_is_no_matter(String property) {
        Runners.inMemory()
                .withPropertyValues(property)
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** In a container platform each service has variables, which all pods get. */
    @Test
    void variables_of_services_named_like_locks_or_holdfast_end_no_start() {
        Map<String, Object> variables = Map.of(
                "LOCK_REDIS_PORT", "tcp://10.0.0.11:6379",
                "LOCK_REDIS_SERVICE_HOST", "10.0.0.11",
                "HOLDFAST_PORT", "tcp://10.0.0.12:80",
                "HOLDFAST_SERVICE_HOST", "10.0.0.12",
                "HOLDFAST_REDIS_PORT", "tcp://10.0.0.11:6379",
                "HOLDFAST_REDIS_SERVICE_PORT", "6379",
                "HOLDFAST_REDIS_PORT_6379_TCP_ADDR", "10.0.0.11");
        Runners.redis()
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource("systemEnvironment", variables)))
                .run(context -> assertThat(context.getBean(LockTemplate.class).execute("variables", () -> "ran"))
                        .isEqualTo("ran"));
    }
}
