package io.holdfast.lock.benchmarks.uncontended;

import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.peer.Servers;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;

/** The servers that a peer needs, until it is closed. */
public record Topology(Servers servers, List<? extends AutoCloseable> processes) implements AutoCloseable {

    private static final int MASTERS = 3;
    private static final int QUORUM = 5;

    /** Longer than any run, so that no node counts as failed. */
    private static final Duration NODE_TIMEOUT = Duration.ofMinutes(5);

    /**
     * {@return servers for a peer}
     *
     * @param port the port of the server that is already running
     */
    public static Topology of(Peer peer, int port) {
        return switch (peer) {
            case HOLDFAST_CLUSTER, HOLDFAST_CLUSTER_MULTI, HOLDFAST_CLUSTER_ONE_BY_ONE -> cluster();
            case HOLDFAST_QUORUM -> quorum();
            default -> new Topology(Servers.of(port), List.of());
        };
    }

    private static Topology cluster() {
        RedisClusterProcesses cluster = RedisClusterProcesses.start(MASTERS, 0, NODE_TIMEOUT);
        return new Topology(new Servers(cluster.address().ports()), List.of(cluster));
    }

    private static Topology quorum() {
        List<RedisServerProcess> servers =
                Stream.generate(Topology::longJoined).limit(QUORUM).toList();
        return new Topology(
                new Servers(servers.stream().map(RedisServerProcess::port).toList()), servers);
    }

    /** Starts a server that looks as if it had been running for longer than the rejoin delay. */
    private static RedisServerProcess longJoined() {
        RedisServerProcess server = RedisServerProcess.start();
        try (Jedis redis = new Jedis("127.0.0.1", server.port())) {
            redis.set("holdfast:joined", "1");
        }
        return server;
    }

    @Override
    public void close() {
        for (AutoCloseable process : processes) {
            try {
                process.close();
            } catch (Exception e) {
                throw new IllegalStateException("A server could not be stopped", e);
            }
        }
    }
}
