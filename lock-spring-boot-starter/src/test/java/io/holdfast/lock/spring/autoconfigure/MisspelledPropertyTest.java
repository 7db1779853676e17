package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.testing.CapturedLog;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.IgnoreErrorsBindHandler;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.mock.env.MockEnvironment;

/** Properties that nothing reads end the start if their names are misspelled; others are warned of. */
class MisspelledPropertyTest {

    private static List<String> warnings(String... properties) {
        try (CapturedLog log = new CapturedLog("io.holdfast.lock.spring", Level.WARN)) {
            Runners.inMemory()
                    .withPropertyValues(properties)
                    .run(context -> assertThat(context).hasNotFailed());
            return log.events().stream().map(ILoggingEvent::getFormattedMessage).toList();
        }
    }

    /** As after a rollback, or in a configuration that several applications share. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "holdfast.colour",
                "holdfast.redis.timeout",
                "holdfast.redis.ttl",
                "holdfast.log",
                "holdfast.lanes.order.size",
                "holdfast.shutdown.await",
                "holdfast.redis.sentinel.nodes",
                "holdfast.locks.order.priority",
                "holdfast.locks.orders.pay.lease"
            })
    void property_of_another_version_is_ignored_with_a_warning(String property) {
        assertThat(warnings(property + "=5"))
                .containsExactly(
                        "Ignored unknown property " + property + " (\"" + property
                                + "\" from property source \"test\"); correct or remove it, unless another Holdfast version reads it");
    }

    @Test
    void each_is_ignored_with_a_warning_of_its_own() {
        assertThat(warnings("holdfast.colour=5", "holdfast.redis.ttl=5")).hasSize(2);
    }

    @Test
    void value_is_not_shown_since_it_may_be_a_password() {
        assertThat(warnings("holdfast.redis.pin=secret"))
                .singleElement()
                .asString()
                .contains("holdfast.redis.pin")
                .doesNotContain("secret");
        Runners.inMemory()
                .withPropertyValues("holdfast.redis.urll=redis://user:secret@host")
                .run(context -> {
                    StringWriter trace = new StringWriter();
                    context.getStartupFailure().printStackTrace(new PrintWriter(trace));
                    assertThat(Startup.failureOf(context) + trace)
                            .contains("Unknown property: holdfast.redis.urll", "Did you mean holdfast.redis.url?")
                            .doesNotContain("secret");
                });
    }

    @ParameterizedTest
    @CsvSource({
        "holdfast.lesae, holdfast.lease",
        "holdfast.wait-fro, holdfast.wait-for",
        "holdfast.redis.key-prefx, holdfast.redis.key-prefix",
        "holdfast.redsi.url, holdfast.redis.url",
        "holdfast.redis.ulr, holdfast.redis.url",
        "holdfast.redis.rul, holdfast.redis.url",
        "holdfast.apo.order, holdfast.aop.order",
        "holdfast.redis.comamnd-timout, holdfast.redis.command-timeout",
        "holdfast.shutdown.timeot, holdfast.shutdown.timeout",
        "holdfast.locks.order.leas, holdfast.locks.order.lease",
        "holdfast.locks[Orders.pay].wait-fr, holdfast.locks[Orders.pay].wait-for",
        "holdfast.locks.order.wait, holdfast.locks.order.wait-for",
        "holdfast.quorum.node, holdfast.quorum.nodes",
        "holdfast.fence.enabled, holdfast.transactions.fence.enabled",
        "holdfast.replica-acks.count, holdfast.redis.replica-acks.count",
        "holdfast.quorum.ssl.bundel, holdfast.quorum.ssl.bundle",
        "holdfast.events.enable, holdfast.events.enabled",
        "holdfast.problem-details.retry, holdfast.problem-details.retry-after",
        "holdfast.leadership.roles.outbox.leas, holdfast.leadership.roles.outbox.lease"
    })
    void property_that_was_probably_meant_is_named(String misspelled, String meant) {
        Runners.inMemory()
                .withPropertyValues(misspelled + "=5")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("Unknown property: " + misspelled, "Did you mean " + meant + "?"));
    }

    @Test
    void part_of_an_address_is_ignored_with_a_warning_if_the_url_is_set() {
        assertThat(warnings(
                        "holdfast.redis.port=6379",
                        "holdfast.redis.password=secret",
                        "holdfast.redis.url=redis://:${holdfast.redis.password}@localhost:${holdfast.redis.port}"))
                .hasSize(2)
                .allMatch(line -> line.startsWith("Ignored unknown property holdfast.redis.p"));
    }

    @Test
    void remedy_of_several_parts_of_an_address_is_said_once() {
        Runners.inMemory()
                .withPropertyValues("holdfast.redis.host=redis", "holdfast.redis.port=6379")
                .run(context -> assertThat(Startup.failureOf(context))
                        .containsOnlyOnce("Did you mean holdfast.redis.url=redis://[")
                        .containsOnlyOnce("redis://["));
    }

    /** Locks would move to the default address. */
    @ParameterizedTest
    @ValueSource(strings = {"host", "port", "username", "password", "database"})
    void part_of_an_address_ends_the_start_since_only_the_url_is_read(String part) {
        Runners.inMemory()
                .withPropertyValues("holdfast.redis." + part + "=5")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(
                                "Unknown property: holdfast.redis." + part,
                                "Did you mean holdfast.redis.url=redis://"));
    }

    @ParameterizedTest
    @CsvSource({"holdfast.redis.ulr, holdfast.redis.url", "holdfast.wait-fro, holdfast.wait-for"})
    void misspelled_system_property_ends_the_start(String misspelled, String meant) {
        Runners.inMemory()
                .withSystemProperties(misspelled + "=5")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("Unknown property: " + misspelled, "Did you mean " + meant + "?"));
    }

    @Test
    void system_property_in_another_notation_is_read() {
        Runners.inMemory()
                .withSystemProperties("holdfast.waitFor=5s", "holdfast.redis.replicaAcks.count=0")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"holdfast.lease", "holdfast.waitFor", "holdfast.waitfor", "holdfast.locks.order.lease"})
    void empty_property_is_said_to_be_empty(String property) {
        assertThat(warnings(property + "="))
                .containsExactly(
                        "Ignored property " + ConfigurationPropertyName.adapt(property, '.') + " (\"" + property
                                + "\" from property source \"test\"), which is empty, so its default applies; set or remove it");
        assertThat(warnings("holdfast.colour=")).singleElement().asString().startsWith("Ignored unknown property");
    }

    @Test
    void property_that_an_empty_variable_overrides_is_not_said_to_be_empty() {
        try (CapturedLog log = new CapturedLog("io.holdfast.lock.spring", Level.WARN)) {
            Runners.inMemory()
                    .withInitializer(context -> context.getEnvironment()
                            .getPropertySources()
                            .addFirst(new SystemEnvironmentPropertySource(
                                    "systemEnvironment", Map.of("HOLDFAST_LEASE", ""))))
                    .withPropertyValues("holdfast.lease=20s")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(log.events())
                    .singleElement()
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .asString()
                    .startsWith("Ignored property holdfast.lease")
                    .contains("because an empty value, such as that of an environment variable, takes precedence");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "holdfast.lease=30sec, Not a duration. Write a whole number with a unit",
        "holdfast.lease=30 s, Not a duration. Write a whole number with a unit",
        "holdfast.lease=${not.there}, Not a duration. Write a whole number with a unit",
        "holdfast.locks.order.wait-for=1.5s, Not a duration. Write a whole number with a unit",
        "holdfast.lease=30, A duration needs a unit"
    })
    void duration_that_is_none_is_answered_with_an_example(String property, String reason) {
        Runners.inMemory()
                .withPropertyValues(property)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("Property: " + property.split("=")[0])
                        .contains(reason + ", such as 30s or 500ms."));
    }

    @ParameterizedTest
    @CsvSource({
        "holdfast.locks.pay, holdfast.locks.pay.lease",
        "holdfast.redis, holdfast.redis.url",
        "holdfast.leadership.roles.outbox, holdfast.leadership.roles.outbox.enabled",
        "holdfast.problemDetails, holdfast.problem-details.enabled"
    })
    void value_of_a_prefix_is_answered_with_one_of_its_properties(String prefix, String example) {
        Runners.inMemory()
                .withPropertyValues(prefix + "=10s")
                .run(context -> assertThat(Startup.failureOf(context)).contains("such as " + example + "."));
    }

    @Test
    void several_are_named_together() {
        Runners.inMemory()
                .withPropertyValues("holdfast.leese=5", "holdfast.wait-four=5", "holdfast.colour=5")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("Did you mean holdfast.lease, holdfast.wait-for?")
                        .doesNotContain("colour"));
    }

    record Strict(String lease) {}

    @Test
    void strict_properties_of_the_application_stay_strict() {
        Binder binder = Binder.get(new MockEnvironment().withProperty("app.colour", "5"));
        BindHandler handler = new PropertyRules().apply(new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
        assertThatThrownBy(() -> binder.bind("app", Bindable.of(Strict.class), handler))
                .hasRootCauseInstanceOf(UnboundConfigurationPropertiesException.class);
    }

    record Lenient(List<String> servers, String name) {}

    /** A list with a gap is only skipped if the application says so. */
    @Test
    void properties_of_the_application_fail_as_without_ours() {
        Binder binder = Binder.get(new MockEnvironment()
                .withProperty("app.servers[0]", "a")
                .withProperty("app.servers[2]", "c")
                .withProperty("app.name", "shop"));

        Lenient bound = binder.bind(
                        "app", Bindable.of(Lenient.class), new PropertyRules().apply(new IgnoreErrorsBindHandler()))
                .get();

        assertThat(bound).isEqualTo(new Lenient(null, "shop"));
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
                "holdfast.locks[Orders.pay].lease=5s",
                "holdfast.locks[my.own.name].wait-for=5s",
                "holdfast.locks[a-b_C].waitFor=5s",
                "holdfast.locks.order.minHold=5s",
                "holdfast.locks.order.MAX_HOLD=5s",
                "holdfast.locks.lease.renew=false",
                "holdfast.locks.order.limit=5"
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
                "HOLDFAST_SYNC_PORT", "tcp://10.0.0.13:80",
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
