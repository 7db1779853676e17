package io.holdfast.lock.redis.driver;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Connections that only locks use, and features of their driver that Spring Data does not expose. */
public interface DriverConnections extends RedisConnectionFactory {

    /** A connection for a subscription, which keeps it. */
    default RedisConnection newConnection() {
        return getConnection();
    }

    /** Has a thread that reads from a subscription's connection meet an error. If the driver binds none, that is nothing. */
    default void breakOff(RedisConnection subscription) {}

    /**
     * Registers an action that runs whenever the connection of a subscription is lost, including earlier ones, if the driver
     * reports it.
     */
    default void onDisconnect(Runnable action) {}

    /** Whether the connection of the latest subscription was lost, if the driver reports it. */
    default boolean isSubscriptionLost() {
        return false;
    }

    /**
     * Whether the driver reads a subscription's messages on threads of its own, so that the subscribing thread continues. If not,
     * the subscribing thread reads until the subscription ends.
     */
    default boolean readsByItself() {
        return false;
    }

    /** Sends scripts through the driver itself, or through Spring Data if the driver is unknown. */
    default Wire wire() {
        return followingWire();
    }

    /** Sends scripts through Spring Data, whose driver follows the redirections of a cluster. */
    default Wire followingWire() {
        return new SpringDataWire(this, this::inTime);
    }

    /** Runs a call of the driver's own, which begins no connect once its time is over, if the driver has to be kept from that. */
    default <T> T inTime(Supplier<T> call) {
        return call.get();
    }

    /** Whether locks are known to be spread over several servers. */
    default boolean isCluster() {
        return false;
    }

    /** Whether one server is known to have all locks, so that one script can touch several of them. */
    default boolean isOneServer() {
        return !isCluster();
    }

    /** The server that has the key, as far as known; the same text for all keys if there is only one server. */
    default String serverOf(byte[] key) {
        return "";
    }

    /**
     * A slot of each master of a cluster, asked for anew; none if there is no cluster, or {@link #serverOf} distinguishes its
     * servers.
     */
    default List<Integer> slotOfEachMaster() {
        return List.of();
    }

    /** Where the servers are, for messages: without users and passwords. */
    String server();

    /** What each server does when its memory is full, by server; of a single one under the empty name. */
    default Map<String, String> evictionPolicies() {
        return EvictionPolicies.of(this);
    }

    /** Refreshes the topology, by calls to the servers. */
    default void refreshTopology() {}
}
