package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.redis.Findings.Ability;
import io.holdfast.lock.testing.DocumentedUser;
import io.holdfast.lock.testing.ManagedService;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.RestrictedRedis;
import io.holdfast.lock.testing.TestRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Locks on real servers that block the commands that managed services block. */
class ManagedServicesTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @ParameterizedTest
    @EnumSource
    void service_has_the_locks_that_its_commands_permit(ManagedService service) {
        check(server(service), service.blocked(), TriedConnection.DEDICATED);
    }

    @ParameterizedTest
    @EnumSource(
            names = {"ELASTICACHE_SERVERLESS", "MEMORYSTORE_REDIS", "MEMORYSTORE_CLUSTER", "AZURE_OSS_POLICY", "UPSTASH"
            })
    void service_that_blocks_commands_of_drivers_has_locks_on_Lettuce(ManagedService service) {
        check(server(service), service.blocked(), TriedConnection.LETTUCE);
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void service_has_locks_on_the_connections_of_every_application(ManagedService service) {
        check(server(service), service.blocked(), TriedConnection.LETTUCE);
        check(server(service), service.blocked(), TriedConnection.JEDIS);
    }

    @ParameterizedTest
    @EnumSource
    void stand_in_blocks_what_the_service_blocks(ManagedService service) {
        RestrictedRedis server = server(service);

        assertThat(server.permitted(server.without(service.blocked()), service.blocked()))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void page_cites_what_the_service_blocks(ManagedService service) throws IOException {
        assertThat(Files.readString(Path.of("..", "docs", "support.md"))).contains(service.page());
    }

    /** Only those that matter to an ability: what no ability needs is the subject of {@link RestrictionsTest}. */
    static Stream<Arguments> restrictions() {
        return Stream.of(ManagedService.values())
                .flatMap(service -> service.blocked().stream()
                        .sorted()
                        .filter(Findings::isNeeded)
                        .map(restriction -> Arguments.of(service, restriction)));
    }

    @Tag("full")
    @ParameterizedTest
    @MethodSource("restrictions")
    void restriction_that_is_lifted_returns_what_it_took(ManagedService service, String restriction) {
        Set<String> others = new TreeSet<>(service.blocked());
        others.remove(restriction);

        for (TriedConnection connection : TriedConnection.values()) {
            check(server(service), others, connection);
        }
    }

    private static RestrictedRedis server(ManagedService service) {
        return service.isCluster() ? RestrictedRedis.CLUSTER : RestrictedRedis.ONE_SERVER;
    }

    /** Some services remove commands, so the server does not know them, nor do its scripts. */
    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void removed_command_is_missed_like_a_forbidden_one(TriedConnection connection) {
        Set<String> removed = Set.of("client", "info", "publish", "scan", "wait");
        String[] arguments = removed.stream()
                .flatMap(command -> Stream.of("--rename-command", command, ""))
                .toArray(String[]::new);

        try (RedisServerProcess server = RedisServerProcess.start(arguments)) {
            check(removed, connection, connection.client.connect(server.port()));
        }
    }

    static void check(RestrictedRedis server, Set<String> blocked, TriedConnection connection) {
        boolean inSlots = server == RestrictedRedis.CLUSTER
                && connection.isDedicated()
                && TestRedis.version() >= DocumentedUser.SHARDED_FROM;
        Set<String> missed = new TreeSet<>(blocked);
        if (inSlots && !blocked.contains("spublish") && !blocked.contains("ssubscribe")) {
            missed.remove("publish");
        }
        check(missed, connection, connection.connect(server.without(blocked)));
    }

    private static void check(Set<String> blocked, TriedConnection connection, RedisConnectionFactory application) {
        Findings found;
        try {
            found = ServerTrial.run(application, connection.settings(), PATIENCE);
        } finally {
            TestRedis.destroy(application);
        }
        Set<Ability> expected = Findings.expected(command -> !blocked.contains(command), connection.isDedicated());
        assertThat(found.working()).as("failure: %s", found.failure()).isEqualTo(expected);
        if (!expected.contains(Ability.LOCKS)) {
            assertThat(found.failure()).contains("The Redis user lacks a permission");
        }
        boolean polls = expected.contains(Ability.LOCKS) && !expected.contains(Ability.MESSAGES);
        boolean isSilent = polls && expected.contains(Ability.SUBSCRIPTION);
        String problem = isSilent
                ? "Redis does not let scripts publish to the wakeup channels, so waiters poll every 500 ms."
                : "Wakeup subscription is down; polling every 100 ms until it is back: ";
        assertThat(found.warnings()).hasSize(isSilent ? 1 : 0).allMatch(line -> line.startsWith(problem));
        assertThat(found.logged().isEmpty()).isEqualTo(!polls);
        assertThat(found.logged()).allMatch(line -> line.startsWith(problem));
    }
}
