package io.holdfast.lock.spring.autoconfigure;

import static io.holdfast.lock.spring.autoconfigure.InvalidLockPropertyException.check;

import io.holdfast.lock.redis.RedisLockSettings;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Independent servers that form a quorum.
 *
 * @param nodes Independent Redis servers; an odd number, at least 3. A lock is held if a majority has granted it. Each server
 *     is host:port, or redis://[user:password@]host:port[/database], or rediss:// for TLS.
 * @param nodeTimeout Timeout of a command to one of the servers, and of the wait for a pooled connection.
 * @param rejoinDelay How long a server that has started without its data refuses to grant unknown locks. Upper limit for all
 *     leases. Default is the value of holdfast.lease.
 * @param ssl TLS for these servers.
 */
record QuorumProperties(
        @Nullable List<String> nodes,
        @DefaultValue("200ms") Duration nodeTimeout,
        @Nullable Duration rejoinDelay,
        @DefaultValue Ssl ssl) {

    private static final String NODES = "holdfast.quorum.nodes";
    private static final int FEWEST = 3;

    /**
     * Checks each value, so that a failure names its property.
     *
     * @throws InvalidLockPropertyException if a value is out of range
     */
    QuorumProperties {
        if (nodes != null) {
            checkNumber(nodes);
            checkDistinct(servers(nodes));
        }
        check(
                "holdfast.quorum.node-timeout",
                nodeTimeout,
                () -> RedisLockSettings.STANDARD.withCommandTimeout(nodeTimeout));
        if (rejoinDelay != null) {
            check(
                    "holdfast.quorum.rejoin-delay",
                    rejoinDelay,
                    () -> RedisLockSettings.STANDARD.withRejoinDelay(rejoinDelay));
        }
    }

    /**
     * TLS of the servers.
     *
     * @param bundle Name of an SSL bundle, which enables TLS for all servers.
     */
    record Ssl(@Nullable String bundle) {}

    private static void checkNumber(List<String> nodes) {
        if (nodes.size() < FEWEST || nodes.size() % 2 == 0) {
            throw new InvalidLockPropertyException(
                    NODES,
                    servers(nodes).stream().map(RedisServer::name).collect(Collectors.joining(", ")),
                    "an odd number of servers, at least 3, because an even number adds no fault tolerance");
        }
    }

    private static void checkDistinct(List<RedisServer> servers) {
        List<String> names = servers.stream().map(RedisServer::name).toList();
        long different = names.stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .distinct()
                .count();
        if (different < names.size()) {
            throw new InvalidLockPropertyException(
                    NODES,
                    names,
                    "a list without duplicates, because a server that counts twice can form a majority with itself");
        }
    }

    private static List<RedisServer> servers(List<String> nodes) {
        return IntStream.range(0, nodes.size())
                .mapToObj(i -> RedisServer.ofNodeOrUrl(NODES + "[" + i + "]", nodes.get(i)))
                .toList();
    }

    /** Without the URLs, which may contain passwords. */
    @Override
    public String toString() {
        return "QuorumProperties[nodes=" + servers() + ", nodeTimeout=" + nodeTimeout + ", rejoinDelay=" + rejoinDelay
                + "]";
    }

    List<RedisServer> servers() {
        return servers(nodes == null ? List.of() : nodes);
    }
}
