package io.holdfast.lock.testing;

import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A node as the cluster sees it. */
final class ClusterNode {

    /** The columns of {@code CLUSTER NODES}. */
    private static final int ID = 0;

    private static final int FLAGS = 2;
    private static final int MASTER = 3;
    private static final int LINK = 7;
    private static final int SLOTS = 8;

    private final ServerNode node;
    private final String id;

    private ClusterNode(ServerNode node) {
        this.node = node;
        this.id = node.ask(jedis -> jedis.clusterMyId());
    }

    /** @param timeout the timeout until {@link #setTimeout} changes it, and again after a restart */
    static ClusterNode start(Duration timeout, boolean steppable, String... extraArguments) {
        Stream<String> own = Stream.of(
                "--cluster-enabled",
                "yes",
                "--cluster-node-timeout",
                String.valueOf(timeout.toMillis()),
                "--cluster-replica-validity-factor",
                "0",
                "--repl-diskless-sync",
                "yes",
                "--repl-diskless-sync-delay",
                "0");
        List<String> arguments =
                Stream.concat(own, Arrays.stream(extraArguments)).toList();
        return new ClusterNode(new ServerNode(RedisServerProcess.start(steppable, port -> arguments)));
    }

    ServerNode node() {
        return node;
    }

    String id() {
        return id;
    }

    void setTimeout(Duration timeout) {
        node.run(jedis -> jedis.configSet("cluster-node-timeout", String.valueOf(timeout.toMillis())));
    }

    void takeSlots(int first, int last) {
        node.run(jedis ->
                jedis.clusterAddSlots(IntStream.rangeClosed(first, last).toArray()));
    }

    void meet(ClusterNode other) {
        if (other != this) {
            node.run(jedis -> jedis.clusterMeet("127.0.0.1", other.node.port()));
        }
    }

    void replicate(ClusterNode master) {
        node.run(jedis -> jedis.clusterReplicate(master.id));
    }

    /** Takes its master's place without loss, unless it no longer follows that master. */
    void failOver(ClusterNode former) {
        if (follows(former)) {
            node.run(jedis -> jedis.clusterFailover());
        }
    }

    boolean serves() {
        return "ok"
                .equals(ServerNode.lines(node.ask(jedis -> jedis.clusterInfo())).get("cluster_state"));
    }

    boolean knows(List<ClusterNode> all) {
        return table().filter(columns -> columns[LINK].equals("connected") && !columns[FLAGS].contains("handshake"))
                .map(columns -> columns[ID])
                .collect(Collectors.toSet())
                .equals(all.stream().map(ClusterNode::id).collect(Collectors.toSet()));
    }

    /** The slots that it serves as a master. */
    BitSet slots() {
        BitSet slots = new BitSet();
        ranges(myself())
                .map(range -> range.split("-"))
                .forEach(range -> slots.set(Integer.parseInt(range[0]), Integer.parseInt(range[range.length - 1]) + 1));
        return slots;
    }

    /** Without the slots that are being moved, which are in brackets. */
    private static Stream<String> ranges(String[] columns) {
        return Arrays.stream(columns).skip(SLOTS).filter(range -> !range.startsWith("["));
    }

    boolean follows(ClusterNode master) {
        return myself()[MASTER].equals(master.id);
    }

    /** The roles and slots of all nodes, as this node sees them. */
    String view() {
        return table().map(columns -> columns[ID]
                        + columns[FLAGS].replace("myself,", "")
                        + columns[MASTER]
                        + ranges(columns).toList())
                .sorted()
                .collect(Collectors.joining("\n"));
    }

    private String[] myself() {
        return table().filter(columns -> columns[FLAGS].contains("myself"))
                .findAny()
                .orElseThrow();
    }

    private Stream<String[]> table() {
        return node.ask(jedis -> jedis.clusterNodes()).lines().map(line -> line.split(" "));
    }
}
