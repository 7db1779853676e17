package io.holdfast.lock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** A Redis master with replicas, and sentinels that promote a replica when the master fails; all are real servers. */
public final class RedisSentinelProcesses implements AutoCloseable {

    private static final String NAME = RedisAddress.SENTINEL_MASTER;
    private static final int SENTINELS = 3;

    private final List<ServerNode> servers = new ArrayList<>();
    private final List<ServerNode> sentinels = new ArrayList<>();
    private final Path configurations = TemporaryDirectory.create("holdfast-sentinel");
    private final int replicas;
    private final boolean steppable;

    private RedisSentinelProcesses(int replicas, boolean steppable) {
        this.replicas = replicas;
        this.steppable = steppable;
    }

    /**
     * Starts three sentinels and the servers that they monitor, and waits until the sentinels know all servers.
     *
     * @param replicas how many replicas the master has
     * @param downAfter how long the master may fail to respond before it counts as failed; some time later a replica takes its place
     */
    public static RedisSentinelProcesses start(int replicas, Duration downAfter) {
        return start(new RedisSentinelProcesses(replicas, false), downAfter);
    }

    /**
     * Two replicas, and a failover when the master does not respond for a second. The wall clocks of the servers, but not of the sentinels,
     * can be {@linkplain ServerNode#step set}, on machines where {@link SteppedClock} is available.
     */
    public static RedisSentinelProcesses startSteppable() {
        return start(new RedisSentinelProcesses(2, SteppedClock.isAvailable()), Duration.ofSeconds(1));
    }

    private static RedisSentinelProcesses start(RedisSentinelProcesses all, Duration downAfter) {
        try {
            all.startServers();
            for (int i = 0; i < SENTINELS; i++) {
                all.sentinels.add(all.startSentinel(downAfter));
            }
            all.awaitReady();
            return all;
        } catch (RuntimeException e) {
            all.close();
            throw e;
        }
    }

    /** Two replicas, and a failover when the master does not respond for a second. */
    public static RedisSentinelProcesses start() {
        return start(2, Duration.ofSeconds(1));
    }

    private void startServers() {
        for (int i = 0; i <= replicas; i++) {
            servers.add(new ServerNode(RedisServerProcess.start(
                    steppable, port -> List.of("--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0"))));
        }
        for (ServerNode replica : servers.subList(1, servers.size())) {
            replica.run(jedis -> jedis.replicaof("127.0.0.1", servers.get(0).port()));
        }
        Polling.await("replicas have all data", () -> servers.stream().skip(1).allMatch(ServerNode::isInStep));
    }

    private ServerNode startSentinel(Duration downAfter) {
        String configuration = String.join(
                "\n",
                "sentinel monitor " + NAME + " 127.0.0.1 " + servers.get(0).port() + " 2",
                "sentinel down-after-milliseconds " + NAME + " " + downAfter.toMillis(),
                "sentinel failover-timeout " + NAME + " " + 5 * downAfter.toMillis(),
                "");
        return new ServerNode(RedisServerProcess.start(
                port -> List.of(write(port + ".conf", configuration).toString(), "--sentinel")));
    }

    private Path write(String name, String text) {
        try {
            return Files.writeString(configurations.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until all running sentinels know the master and each other, and all other running servers follow the master. */
    public void awaitReady() {
        Polling.await("sentinels know all", () -> runningSentinels().allMatch(this::knowsAll));
        ServerNode master = master();
        Polling.await(
                "all servers follow the master",
                () -> servers.stream()
                        .filter(server -> server.isRunning() && server != master)
                        .allMatch(ServerNode::isInStep));
    }

    private boolean knowsAll(ServerNode sentinel) {
        Map<String, String> master = sentinel.ask(jedis -> jedis.sentinelMaster(NAME));
        return "master".equals(master.get("flags"))
                && String.valueOf(replicas).equals(master.get("num-slaves"))
                && String.valueOf(SENTINELS - 1).equals(master.get("num-other-sentinels"));
    }

    public RedisAddress address() {
        return new RedisAddress(
                RedisAddress.Kind.SENTINEL,
                sentinels.stream().map(ServerNode::port).toList());
    }

    public List<ServerNode> sentinels() {
        return List.copyOf(sentinels);
    }

    public List<ServerNode> servers() {
        return List.copyOf(servers);
    }

    /** The server that most sentinels name as the master, whether it responds or not. */
    public ServerNode master() {
        return Polling.await(
                "most sentinels name the same master",
                () -> servers.stream().filter(this::isNamedByMost).findAny().orElse(null),
                Objects::nonNull);
    }

    private boolean isNamedByMost(ServerNode server) {
        return runningSentinels().filter(sentinel -> names(sentinel, server)).count() > SENTINELS / 2;
    }

    private Stream<ServerNode> runningSentinels() {
        return sentinels.stream().filter(ServerNode::isRunning);
    }

    private static boolean names(ServerNode sentinel, ServerNode server) {
        return sentinel.ask(jedis -> jedis.sentinelGetMasterAddrByName(NAME))
                .get(1)
                .equals(String.valueOf(server.port()));
    }

    /**
     * Waits until no running sentinel names the former master, and the new one has become a master. A sentinel that still names
     * the former master would lead clients there when it comes back empty.
     */
    public ServerNode awaitOtherMaster(ServerNode former) {
        Polling.await(
                "all sentinels name another master",
                () -> runningSentinels().noneMatch(sentinel -> names(sentinel, former)));
        Polling.await("it is a master", () -> master().isMaster());
        return master();
    }

    /** Promotes a replica without a failure of the master; data that it has not received yet is lost. */
    public ServerNode failOver() {
        ServerNode former = master();
        sentinels.get(0).run(jedis -> jedis.sentinelFailover(NAME));
        return awaitOtherMaster(former);
    }

    @Override
    public void close() {
        sentinels.forEach(ServerNode::close);
        servers.forEach(ServerNode::close);
        TemporaryDirectory.delete(configurations);
    }
}
