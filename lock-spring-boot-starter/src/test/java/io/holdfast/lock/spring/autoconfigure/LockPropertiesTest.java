package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import com.jayway.jsonpath.JsonPath;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.testing.CapturedLog;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.Ordered;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ClassPathResource;

class LockPropertiesTest {

    @Test
    void defaults_are_those_of_the_core() {
        Runners.inMemory().run(context -> {
            LockProperties properties = context.getBean(LockProperties.class);
            assertThat(properties.defaults(Terms.STANDARD)).isEqualTo(Terms.STANDARD);
            assertThat(properties.redis().toSettings()).isEqualTo(RedisLockSettings.STANDARD);
            assertThat(properties.failFast()).isFalse();
        });
    }

    @Test
    void default_order_of_the_advisor_leaves_room_inside() {
        Runners.inMemory().run(context -> {
            assertThat(context.getBean(io.holdfast.lock.spring.aop.LockAdvisor.class)
                            .getOrder())
                    .isEqualTo(Ordered.LOWEST_PRECEDENCE - 100)
                    .isEqualTo(context.getBean(LockProperties.class).aop().order());
        });
    }

    @Test
    void all_properties_are_read() {
        Runners.inMemory()
                .withPropertyValues(
                        "holdfast.lease=10s",
                        "holdfast.wait-for=2s",
                        "holdfast.max-hold=1m",
                        "holdfast.warn-after=5m",
                        "holdfast.outage-tolerance=45s",
                        "holdfast.redis.key-prefix=shop",
                        "holdfast.redis.command-timeout=300ms",
                        "holdfast.redis.token-retention=1h",
                        "holdfast.redis.max-connections=4",
                        "holdfast.redis.replica-acks.count=2",
                        "holdfast.redis.replica-acks.timeout=70ms",
                        "holdfast.aop.order=7")
                .run(context -> {
                    LockProperties properties = context.getBean(LockProperties.class);
                    assertThat(properties.defaults(LockRequest.of("any")))
                            .isEqualTo(LockRequest.of("any")
                                    .lease(Duration.ofSeconds(10))
                                    .waitFor(Duration.ofSeconds(2))
                                    .maxHold(Duration.ofMinutes(1))
                                    .warnAfter(Duration.ofMinutes(5))
                                    .outageTolerance(Duration.ofSeconds(45)));
                    assertThat(properties.redis().toSettings())
                            .isEqualTo(RedisLockSettings.STANDARD
                                    .withKeyPrefix("shop")
                                    .withCommandTimeout(Duration.ofMillis(300))
                                    .withTokenRetention(Duration.ofHours(1))
                                    .withMaxConnections(4)
                                    .withReplicaAcks(new RedisLockSettings.ReplicaAcks(2, Duration.ofMillis(70))));
                    assertThat(context.getBean(io.holdfast.lock.spring.aop.LockAdvisor.class)
                                    .getOrder())
                            .isEqualTo(7);
                });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    holdfast.lease               | -1s      | between 100 ms and 365 days
                    holdfast.lease               | 99ms     | between 100 ms and 365 days
                    holdfast.wait-for            | -1ms     | between 0 ms and 365 days
                    holdfast.outage-tolerance    | -1ms     | between 0 ms and 365 days
                    holdfast.max-hold            | 1ms      | between 100 ms and 365 days
                    holdfast.warn-after          | 0s       | between 1 ms and 365 days
                    holdfast.shutdown.timeout    | 90000s   | 0s to 1d
                    holdfast.problem-details.retry-after | -1s | 0s to 1d
                    holdfast.problem-details.status | 200   | 400 to 599
                    holdfast.transactions.commit-margin | -1ms | between 0 ms and 365 days
                    holdfast.async.max-waiting   | 0        | 1 or more
                    holdfast.max-data-size       | 0B       | 1B to 1MB
                    holdfast.max-data-size       | 1025KB   | 1B to 1MB
                    holdfast.redis.key-prefix    | a{b}     | 1 to 200 characters without braces, whitespace, control characters or unpaired surrogates
                    holdfast.redis.command-timeout | 1ms    | between 10 ms and 60 s
                    holdfast.redis.token-retention | 1ms    | between 1000 ms and 365 days
                    holdfast.redis.max-connections | 0        | between 1 and 1000
                    holdfast.redis.replica-acks.count  | 101 | between 0 and 100
                    holdfast.redis.replica-acks.timeout | 0s | between 1 ms and 60 s
                    holdfast.quorum.command-timeout | 1ms      | between 10 ms and 60 s
                    holdfast.quorum.rejoin-delay | -1s      | between 0 ms and 365 days
                    holdfast.leadership.lease    | 99ms     | between 100 ms and 365 days
                    holdfast.leadership.roles.r.lease   | 99ms | between 100 ms and 365 days
                    holdfast.leadership.roles.any.lease | 99ms | between 100 ms and 365 days
                    holdfast.locks.order.lease      | 99ms | between 100 ms and 365 days
                    holdfast.locks.order.wait-for   | -1ms | between 0 ms and 365 days
                    holdfast.locks.order.min-hold   | -1ms | between 0 ms and 365 days
                    holdfast.locks.order.max-hold   | 0s   | between 100 ms and 365 days
                    holdfast.locks.order.limit      | 0    | 1 or more
                    holdfast.locks.order.max-waiting | 0   | 1 or more
                    holdfast.locks.order.weight     | 0    | 1 or more
                    holdfast.scheduled.min-hold         | -1ms | between 0 ms and 365 days
                    holdfast.leadership.roles.r.key     | "#{1}" | literal text, not an expression
                    """)
    void bad_value_names_property_and_value_and_what_is_allowed(String property, String value, String allowed) {
        Runners.redis()
                .withPropertyValues(property + "=" + value)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("configuration property '" + property, "It must be " + allowed));
    }

    /** Every property of Holdfast that is a time, as editors know them, and those of maps. */
    static Stream<String> times() throws IOException {
        try (InputStream json = new ClassPathResource(
                        "META-INF/spring-configuration-metadata.json", LockProperties.class.getClassLoader())
                .getInputStream()) {
            List<String> names = JsonPath.read(json, "$.properties[?(@.type == 'java.time.Duration')].name");
            return Stream.concat(
                    names.stream().filter(name -> !name.endsWith("time-to-live")),
                    Stream.of(
                            "holdfast.locks.order.lease",
                            "holdfast.locks[Orders.pay].wait-for",
                            "holdfast.leadership.roles.outbox.lease"))
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest
    @MethodSource("times")
    void time_without_a_unit_is_refused(String property) {
        Runners.inMemory()
                .withPropertyValues(property + "=5000")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(property, "5000", "A duration needs a unit, such as 30s or 500ms."));
    }

    @Test
    void time_without_a_unit_is_refused_however_it_is_written() {
        Map<String, Object> yaml = Map.of("holdfast.lease", 30);
        Map<String, Object> placeholder = Map.of("holdfast.lease", "${app.lease}", "app.lease", "30");
        Map<String, Object> relaxed = Map.of("HOLDFAST.Lease", "30");
        Map<String, Object> signed = Map.of("holdfast.lease", "+30");
        assertThat(List.of(
                        new MapPropertySource("yaml", yaml),
                        new MapPropertySource("placeholder", placeholder),
                        new MapPropertySource("relaxed", relaxed),
                        new MapPropertySource("signed", signed),
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                Map.of("HOLDFAST_LEASE", "30"))))
                .allSatisfy(source -> assertThat(failureWith(source))
                        .contains("holdfast.lease", "A duration needs a unit, such as 30s or 500ms."));
    }

    private static String failureWith(PropertySource<?> source) {
        List<String> failures = new ArrayList<>();
        Runners.inMemory()
                .withInitializer(
                        context -> context.getEnvironment().getPropertySources().addFirst(source))
                .run(context -> failures.add(Startup.failureOf(context)));
        return failures.get(0);
    }

    @Test
    void times_of_others_are_left_to_spring_boot() {
        Runners.redis()
                .withPropertyValues("spring.data.redis.timeout=5000", "holdfast.lease=PT20S", "holdfast.wait-for=1m")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"holdfast.redis.command-timeout=30s", "holdfast.transactions.commit-margin=40s"})
    void time_that_does_not_fit_the_lease_is_warned_of(String property) {
        assertThat(warnings(property)).anyMatch(line -> line.contains(property.split("=")[0] + " is not less than"));
        assertThat(warnings(property, "holdfast.lease=1m")).noneMatch(line -> line.contains("not less than"));
    }

    @Test
    void node_timeout_of_a_quorum_is_compared_with_the_lease_instead_of_the_command_timeout() {
        ApplicationContextRunner quorum = Runners.starter()
                .withPropertyValues("holdfast.quorum.nodes=127.0.0.1:1,127.0.0.1:2,127.0.0.1:3", "holdfast.lease=1s");
        assertThat(warnings(quorum, "holdfast.redis.command-timeout=2s")).isEmpty();
        assertThat(warnings(quorum, "holdfast.quorum.command-timeout=2s"))
                .anyMatch(line -> line.contains("holdfast.quorum.command-timeout is not less than"));
    }

    @Test
    void max_hold_below_the_lease_is_warned_of() {
        assertThat(warnings("holdfast.max-hold=29s"))
                .anyMatch(line -> line.contains("holdfast.max-hold is less than holdfast.lease"));
        assertThat(warnings("holdfast.max-hold=30s")).isEmpty();
    }

    private static List<String> warnings(String... properties) {
        return warnings(Runners.inMemory(), properties);
    }

    private static List<String> warnings(ApplicationContextRunner application, String... properties) {
        try (CapturedLog log = new CapturedLog(LockAutoConfiguration.class.getName(), Level.WARN)) {
            application
                    .withPropertyValues(properties)
                    .run(context -> assertThat(context).hasNotFailed());
            return log.events().stream().map(ILoggingEvent::getFormattedMessage).toList();
        }
    }
}
