package io.holdfast.lock.testing;

import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.MigrateParams;

/**
 * A slot on its way from one master to another, step by step, as {@code redis-cli --cluster reshard} does it: {@link #begin},
 * {@link #moveKeys}, {@link #finish}. Stopping in between leaves a stalled migration.
 */
public final class SlotMigration {

    private static final int TIMEOUT_MILLIS = 10_000;
    private static final int KEYS_AT_ONCE = 100;

    private final RedisClusterProcesses cluster;
    private final int slot;
    private final ClusterNode source;
    private final ClusterNode target;

    SlotMigration(RedisClusterProcesses cluster, int slot, ClusterNode source, ClusterNode target) {
        this.cluster = cluster;
        this.slot = slot;
        this.source = source;
        this.target = target;
    }

    public ServerNode source() {
        return source.node();
    }

    public ServerNode target() {
        return target.node();
    }

    /** From now on a key may be on either side; new keys are created on the target. */
    public SlotMigration begin() {
        target().run(jedis -> jedis.clusterSetSlotImporting(slot, source.id()));
        source().run(jedis -> jedis.clusterSetSlotMigrating(slot, target.id()));
        return this;
    }

    /** Moves the keys that are now on the source. */
    public SlotMigration moveKeys() {
        try (Jedis jedis = source().connect()) {
            for (List<String> keys = keys(jedis); !keys.isEmpty(); keys = keys(jedis)) {
                move(jedis, target(), keys);
            }
        }
        return this;
    }

    /** Moves one key. */
    public SlotMigration moveKey(String key) {
        source().run(jedis -> move(jedis, target(), List.of(key)));
        return this;
    }

    private List<String> keys(Jedis jedis) {
        return jedis.clusterGetKeysInSlot(slot, KEYS_AT_ONCE);
    }

    private static void move(Jedis from, ServerNode to, List<String> keys) {
        from.migrate("127.0.0.1", to.port(), TIMEOUT_MILLIS, new MigrateParams(), keys.toArray(new String[0]));
    }

    /** Moves the remaining keys, and notifies all masters of the slot's new owner, the new owner first. */
    public void finish() {
        moveKeys();
        target().run(jedis -> jedis.clusterSetSlotNode(slot, target.id()));
        source().run(jedis -> jedis.clusterSetSlotNode(slot, target.id()));
        cluster.masters().forEach(node -> node.node().run(jedis -> jedis.clusterSetSlotNode(slot, target.id())));
    }
}
