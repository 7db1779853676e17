package io.holdfast.lock.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import redis.clients.jedis.args.ClusterFailoverOption;
import redis.clients.jedis.util.JedisClusterCRC16;

/** A Redis Cluster of real servers, which elects a new master when one fails, and whose slots can be moved. */
public final class RedisClusterProcesses implements AutoCloseable {

    static final int SLOTS = 16_384;

    /** With a short timeout, nodes exchange messages often, so they soon agree. */
    private static final Duration WHILE_FORMING = Duration.ofSeconds(1);

    /**
     * A handshake times out after a second, perhaps on one side only. If all other nodes drop a node that was delayed, none of
     * them learns of it again: Redis does not repeat the handshake.
     */
    private static final Duration MEET_AGAIN = Duration.ofSeconds(3);

    /** Redis gives up a manual failover after 5 s. */
    private static final Duration FAIL_OVER_AGAIN = Duration.ofSeconds(6);

    private final List<ClusterNode> nodes = new ArrayList<>();
    private final int masters;

    private RedisClusterProcesses(int masters) {
        this.masters = masters;
    }

    /**
     * Starts a cluster, and waits until every node serves requests and every replica has its master's data.
     *
     * @param masters how many masters share the slots
     * @param replicasOfEach how many replicas follow each master
     * @param nodeTimeout how long a node may fail to respond before it counts as failed; some time later a replica takes its place
     * @param extraArguments for all servers
     */
    public static RedisClusterProcesses start(
            int masters, int replicasOfEach, Duration nodeTimeout, String... extraArguments) {
        return start(masters, replicasOfEach, nodeTimeout, false, extraArguments);
    }

    /**
     * Starts a cluster in the same way; the wall clocks of its servers can be {@linkplain ServerNode#step set}, on machines where {@link
     * SteppedClock} is available.
     */
    public static RedisClusterProcesses startSteppable(int masters, int replicasOfEach, Duration nodeTimeout) {
        return start(masters, replicasOfEach, nodeTimeout, SteppedClock.isAvailable());
    }

    private static RedisClusterProcesses start(
            int masters, int replicasOfEach, Duration nodeTimeout, boolean steppable, String... extraArguments) {
        RedisClusterProcesses cluster = new RedisClusterProcesses(masters);
        try {
            for (int i = 0; i < masters * (1 + replicasOfEach); i++) {
                cluster.nodes.add(ClusterNode.start(nodeTimeout, steppable, extraArguments));
            }
            cluster.form(nodeTimeout);
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** Three masters with one replica each, which replaces its master if the master does not respond for 2 s. */
    public static RedisClusterProcesses start() {
        return start(3, 1, Duration.ofSeconds(2));
    }

    private void form(Duration nodeTimeout) {
        nodes.forEach(node -> node.setTimeout(WHILE_FORMING));
        for (int i = 0; i < masters; i++) {
            nodes.get(i).takeSlots(SLOTS * i / masters, SLOTS * (i + 1) / masters - 1);
        }
        meet();
        for (int i = masters; i < nodes.size(); i++) {
            nodes.get(i).replicate(nodes.get(i % masters));
        }
        awaitReady();
        nodes.forEach(node -> node.setTimeout(nodeTimeout));
    }

    private void meet() {
        Polling.await(
                "all nodes know each other",
                MEET_AGAIN,
                () -> nodes.forEach(node -> nodes.forEach(node::meet)),
                () -> nodes.stream().allMatch(node -> node.knows(nodes)));
    }

    /** Starts one more master, which has no slots yet, and waits until all nodes know it. */
    public ServerNode join(Duration nodeTimeout) {
        nodes.add(ClusterNode.start(nodeTimeout, false));
        meet();
        awaitReady();
        return nodes.get(nodes.size() - 1).node();
    }

    /** Waits until all running nodes serve requests, and all running replicas have all data. */
    public void awaitReady() {
        Polling.await("all nodes serve", () -> running().allMatch(ClusterNode::serves));
        Polling.await(
                "all replicas have all data",
                () -> running()
                        .filter(node -> !node.node().isMaster())
                        .allMatch(node -> node.node().isInStep()));
        Polling.await(
                "all nodes agree",
                () -> running().map(ClusterNode::view).distinct().count() == 1);
    }

    /** Gets all nodes running again, and waits until they are ready. */
    public void repair() {
        nodes().forEach(ServerNode::runAgain);
        awaitReady();
    }

    private Stream<ClusterNode> running() {
        return nodes.stream().filter(node -> node.node().isRunning());
    }

    public RedisAddress address() {
        return new RedisAddress(
                RedisAddress.Kind.CLUSTER,
                nodes().stream().map(ServerNode::port).toList());
    }

    public List<ServerNode> nodes() {
        return nodes.stream().map(ClusterNode::node).toList();
    }

    public static int slot(String key) {
        return JedisClusterCRC16.getSlot(key);
    }

    /** Waits for a master, if the slot has none at the moment. */
    public ServerNode masterOf(int slot) {
        return ownerOf(slot).node();
    }

    public ServerNode masterOf(String key) {
        return masterOf(slot(key));
    }

    ClusterNode ownerOf(int slot) {
        return Polling.await(
                        "slot " + slot + " has a master",
                        () -> running().filter(node -> node.slots().get(slot)).toList(),
                        owners -> owners.size() == 1)
                .get(0);
    }

    /** Waits until a node other than the former master owns the slot, and all running nodes serve requests. */
    public ServerNode awaitOtherMaster(int slot, ServerNode former) {
        Polling.await("slot " + slot + " has another master", () -> masterOf(slot) != former);
        Polling.await("all nodes serve", () -> running().allMatch(ClusterNode::serves));
        return masterOf(slot);
    }

    public ServerNode replicaOf(ServerNode master) {
        return replica(nodeOf(master)).node();
    }

    private ClusterNode replica(ClusterNode master) {
        return running().filter(node -> node.follows(master)).findFirst().orElseThrow();
    }

    private ClusterNode nodeOf(ServerNode server) {
        return nodes.stream().filter(node -> node.node() == server).findAny().orElseThrow();
    }

    /**
     * Swaps the slot's master and its replica, without loss, and returns the new master. The other masters vote for replicas of the same
     * master at most once per two node timeouts, as measured by clocks that tests may change, so the request is repeated.
     */
    public ServerNode failOver(int slot) {
        ClusterNode former = ownerOf(slot);
        ClusterNode next = replica(former);
        Polling.await(
                "slot " + slot + " has another master",
                FAIL_OVER_AGAIN,
                () -> next.failOver(former),
                () -> masterOf(slot) == next.node());
        awaitReady();
        return next.node();
    }

    /** Promotes the replica of the slot's master, which need not respond. */
    public ServerNode takeOver(int slot, ServerNode master) {
        ClusterNode next = replica(nodeOf(master));
        next.node().run(jedis -> jedis.clusterFailover(ClusterFailoverOption.TAKEOVER));
        return awaitOtherMaster(slot, master);
    }

    /** The move of a slot to another master, not yet started. */
    public SlotMigration migration(int slot) {
        ClusterNode source = ownerOf(slot);
        ClusterNode target = running()
                .filter(node -> node != source && node.node().isMaster())
                .findFirst()
                .orElseThrow();
        return new SlotMigration(this, slot, source, target);
    }

    /** The move of a slot to a certain master, not yet started. */
    public SlotMigration migration(int slot, ServerNode target) {
        return new SlotMigration(this, slot, ownerOf(slot), nodeOf(target));
    }

    /** The slots that each master currently serves. */
    Map<ServerNode, BitSet> slots() {
        return masters().stream().collect(Collectors.toMap(ClusterNode::node, ClusterNode::slots));
    }

    List<ClusterNode> masters() {
        return running().filter(node -> node.node().isMaster()).toList();
    }

    @Override
    public void close() {
        nodes.forEach(node -> node.node().close());
    }
}
