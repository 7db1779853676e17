package io.holdfast.lock.redis.driver;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** The connections of locks, and features of their driver that Spring Data does not expose. */
public interface DriverConnections extends RedisConnectionFactory {

    /**
     * Connects for the first time: loads the driver, finds the servers, and makes a connection. Takes as long as the driver's timeouts
     * allow. Nothing else may be called before it has succeeded once, but for what says so.
     */
    void open();

    /** A connection for a subscription, which keeps it. May be called before {@link #open}. */
    default RedisConnection newConnection() {
        return getConnection();
    }

    /** Has a thread that reads from a subscription's connection meet an error. If the driver binds none, that is nothing. */
    default void breakOff(RedisConnection subscription) {}

    /** Sends scripts through the driver itself, or through Spring Data. May be called before {@link #open}. */
    default Wire wire() {
        return followingWire();
    }

    /** Sends scripts through Spring Data, whose driver follows the redirections of a cluster. May be called before {@link #open}. */
    default Wire followingWire() {
        return new SpringDataWire(this, this::inTime);
    }

    /** Runs a call of the driver's own, which begins no connect once its time is over, if the driver has to be kept from that. */
    default <T> T inTime(Supplier<T> call) {
        return call.get();
    }

    /** Whether locks are known to be spread over several servers. May be called before {@link #open}. */
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

    /** A slot of each master of a cluster; none if there is no cluster. */
    default List<Integer> slotOfEachMaster() {
        return List.of();
    }

    /** Where the servers are, for messages: without users and passwords. May be called before {@link #open}. */
    String server();

    /** What each server does when its memory is full, by server; of a single one under the empty name. */
    default Map<String, String> evictionPolicies() {
        return EvictionPolicies.of(this);
    }

    /** Refreshes the topology, by calls to the servers. */
    default void refreshTopology() {}
}
