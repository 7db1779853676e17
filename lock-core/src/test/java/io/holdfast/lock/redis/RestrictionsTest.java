package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.redis.Findings.Ability;
import io.holdfast.lock.testing.RestrictedRedis;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Each command that locks or their drivers call is blocked, one at a time, on every connection. The server says which these are. */
@Tag("full")
class RestrictionsTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** In vain, for what needs a command that is blocked. */
    private static final Duration IMPATIENCE = Duration.ofSeconds(3);

    /** Drivers call them, but manage without. Nobody can be denied the first two. */
    private static final Set<String> NEVER_NEEDED =
            Set.of("auth", "hello", "client", "command", "ping", "quit", "select", "unsubscribe", "readonly");

    static Stream<Arguments> calledCommands() {
        return Stream.of(RestrictedRedis.values())
                .flatMap(server -> Stream.of(TriedConnection.values())
                        .flatMap(connection -> called(server, connection).stream()
                                .map(command -> Arguments.of(server, connection, command))));
    }

    private static Set<String> called(RestrictedRedis server, TriedConnection connection) {
        RedisConnectionFactory application = connection.connect(server.without(Set.of()));
        server.takeCalled();
        try {
            ServerTrial.run(application, connection.settings(), PATIENCE);
        } finally {
            TestRedis.destroy(application);
        }
        return server.takeCalled().stream()
                .filter(command -> !command.startsWith("config")) // of the test
                .filter(command -> !isExcluded(server, connection, command))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @ParameterizedTest
    @MethodSource("calledCommands")
    void without_a_command_only_what_needs_it_is_missing(
            RestrictedRedis server, TriedConnection connection, String command) {
        Set<String> blocked = Set.of(command);

        if (isRequired(command)) {
            assertThat(hasLocks(server, connection, blocked)).isFalse();
        } else {
            ManagedServicesTest.check(server, blocked, connection);
        }
    }

    private static boolean isRequired(String command) {
        String name = command.split("\\|")[0];
        return !Findings.isNeeded(name) && !NEVER_NEEDED.contains(name);
    }

    /**
     * Without {@code HGETALL}, cancelled acquisitions are not forgotten, which takes longer to show. Drivers choose among the subcommands of
     * {@code CLUSTER}, so it is blocked as a whole, as Redis 6.2 names it. In a cluster, the application's Jedis calls {@code PING} to
     * subscribe.
     */
    private static boolean isExcluded(RestrictedRedis server, TriedConnection connection, String command) {
        return command.equals("hgetall")
                || command.startsWith("cluster|")
                || (connection == TriedConnection.JEDIS && server == RestrictedRedis.CLUSTER && command.equals("ping"));
    }

    private static boolean hasLocks(RestrictedRedis server, TriedConnection connection, Set<String> blocked) {
        RedisConnectionFactory application = null;
        try {
            application = connection.connect(server.without(blocked));
            return ServerTrial.run(application, connection.settings(), IMPATIENCE)
                    .working()
                    .contains(Ability.LOCKS);
        } catch (RuntimeException | AssertionError e) {
            return false;
        } finally {
            if (application != null) {
                TestRedis.destroy(application);
            }
        }
    }
}
