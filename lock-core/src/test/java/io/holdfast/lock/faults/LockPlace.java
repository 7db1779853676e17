package io.holdfast.lock.faults;

import io.holdfast.lock.quorum.QuorumLockStore;
import io.holdfast.lock.quorum.QuorumNode;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockSettings.ReplicaAcks;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.RedisAddress;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Where processes keep their locks, and how. As a text it can be handed to them.
 *
 * @param addresses of one Redis, or of the servers of a quorum
 * @param lease of all locks
 * @param replicaAcks how many replicas must have a grant
 * @param network the port of the {@link Network} that leads there, or 0
 */
record LockPlace(String keyPrefix, Duration lease, int replicaAcks, int network, List<RedisAddress> addresses) {

    /** Shorter than what goes wrong. */
    static final Duration SHORT_LEASE = Duration.ofSeconds(2);

    /** For one of several servers, so that one which hangs leaves time to ask the others again before a lease ends. */
    private static final Duration NODE_TIMEOUT = Duration.ofMillis(300);

    /** Longer than any step of a clock: a server whose clock goes forward by more forgets the tokens of locks that nobody holds. */
    private static final Duration TOKEN_RETENTION = Duration.ofHours(3);

    static LockPlace of(List<RedisAddress> addresses) {
        return new LockPlace("holdfast", SHORT_LEASE, 0, 0, addresses);
    }

    static LockPlace of(RedisAddress address) {
        return of(List.of(address));
    }

    LockPlace in(String prefix) {
        return new LockPlace(prefix, lease, replicaAcks, network, addresses);
    }

    LockPlace withLease(Duration value) {
        return new LockPlace(keyPrefix, value, replicaAcks, network, addresses);
    }

    LockPlace acknowledgedBy(int replicas) {
        return new LockPlace(keyPrefix, lease, replicas, network, addresses);
    }

    LockPlace behind(Network way) {
        return new LockPlace(keyPrefix, lease, replicaAcks, way.port(), addresses);
    }

    /** The other way round than {@link #toString}. */
    static LockPlace parse(String text) {
        String[] parts = text.split("/");
        List<RedisAddress> addresses =
                Arrays.stream(parts).skip(4).map(RedisAddress::parse).toList();
        return new LockPlace(
                parts[0], Duration.parse(parts[1]), Integer.parseInt(parts[2]), Integer.parseInt(parts[3]), addresses);
    }

    @Override
    public String toString() {
        return keyPrefix + "/" + lease + "/" + replicaAcks + "/" + network + "/"
                + addresses.stream().map(RedisAddress::toString).collect(Collectors.joining("/"));
    }

    /** Opens a store that ends with the process, and sends the connections of this process through the network. */
    LockStore open(TestRedis.Client driver) {
        if (network != 0) {
            Network.use(network);
        }
        RedisLockSettings settings = RedisLockSettings.STANDARD
                .withKeyPrefix(keyPrefix)
                .withTokenRetention(TOKEN_RETENTION)
                .withReplicaAcks(new ReplicaAcks(replicaAcks, Duration.ofMillis(500)));
        if (addresses.size() == 1) {
            return new RedisLockStore(driver.connect(addresses.get(0)), settings);
        }
        RedisLockSettings ofNode = settings.withCommandTimeout(NODE_TIMEOUT).withRejoinDelay(lease);
        List<QuorumNode> nodes = addresses.stream()
                .map(address -> new QuorumNode(address.toString(), new RedisLockStore(driver.connect(address), ofNode)))
                .toList();
        return new QuorumLockStore(nodes, lease);
    }
}
