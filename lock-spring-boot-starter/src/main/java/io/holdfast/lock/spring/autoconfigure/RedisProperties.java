package io.holdfast.lock.spring.autoconfigure;

import static io.holdfast.lock.spring.autoconfigure.InvalidLockPropertyException.check;

import io.holdfast.lock.redis.RedisLockSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.StringUtils;

/**
 * How locks are kept in Redis.
 *
 * @param url URL of a separate Redis server for locks, such as redis://user:password@example.com:6379/8, or rediss:// for TLS.
 * @param ssl TLS for that server.
 * @param keyPrefix First part of each key, without braces or whitespace.
 * @param commandTimeout Timeout of a command, and of the wait for a pooled connection.
 * @param tokenRetention How long the last fencing token of an unused lock is remembered.
 * @param connections Maximum number of Jedis connections for locks.
 * @param driver How locks reach Redis: over Jedis connections of their own, through RedisTemplate on the application's
 *     connections, or "auto": Jedis if the application's configuration can be carried over to it.
 * @param replicaAcks How many replicas must acknowledge a grant or a renewal before it counts.
 */
record RedisProperties(
        @Nullable String url,
        @DefaultValue Ssl ssl,
        @DefaultValue("lock") String keyPrefix,
        @DefaultValue("1s") Duration commandTimeout,
        @DefaultValue("10m") Duration tokenRetention,
        @DefaultValue("16") int connections,
        @DefaultValue("auto") RedisLockSettings.Driver driver,
        @DefaultValue ReplicaAcks replicaAcks) {

    static final String URL = "holdfast.redis.url";
    static final String DETAILS = "a bean of type LockConnectionDetails";

    private static final String BUNDLE = "holdfast.redis.ssl.bundle";
    private static final RedisLockSettings STANDARD = RedisLockSettings.STANDARD;

    /**
     * Checks each value, so that a failure names its property.
     *
     * @throws InvalidLockPropertyException if a value is out of range
     */
    RedisProperties {
        if (url != null) {
            RedisServer.ofUrl(URL, url);
        }
        check("holdfast.redis.key-prefix", keyPrefix, () -> STANDARD.withKeyPrefix(keyPrefix));
        check("holdfast.redis.command-timeout", commandTimeout, () -> STANDARD.withCommandTimeout(commandTimeout));
        check("holdfast.redis.token-retention", tokenRetention, () -> STANDARD.withTokenRetention(tokenRetention));
        check("holdfast.redis.connections", connections, () -> STANDARD.withConnections(connections));
    }

    /**
     * TLS.
     *
     * @param bundle Name of an SSL bundle, which enables TLS.
     */
    record Ssl(@Nullable String bundle) {}

    /**
     * How many replicas must acknowledge a grant or a renewal before it counts.
     *
     * @param number Number of replicas. Zero waits for none.
     * @param timeout How long the replicas may take, in addition to the command itself.
     */
    record ReplicaAcks(
            @DefaultValue("0") int number,
            @DefaultValue("500ms") Duration timeout) {

        private static final RedisLockSettings.ReplicaAcks NONE = RedisLockSettings.ReplicaAcks.NONE;

        /**
         * Checks each value, so that a failure names its property.
         *
         * @throws InvalidLockPropertyException if a value is out of range
         */
        ReplicaAcks {
            check(
                    "holdfast.redis.replica-acks.number",
                    number,
                    () -> new RedisLockSettings.ReplicaAcks(number, NONE.timeout()));
            check(
                    "holdfast.redis.replica-acks.timeout",
                    timeout,
                    () -> new RedisLockSettings.ReplicaAcks(NONE.number(), timeout));
        }

        RedisLockSettings.ReplicaAcks toSettings() {
            return new RedisLockSettings.ReplicaAcks(number, timeout);
        }
    }

    RedisLockSettings toSettings() {
        return STANDARD.withKeyPrefix(keyPrefix)
                .withCommandTimeout(commandTimeout)
                .withTokenRetention(tokenRetention)
                .withConnections(connections)
                .withDriver(driver)
                .withReplicaAcks(replicaAcks.toSettings());
    }

    /** The properties that specify a server; empty if locks use that of the application. */
    List<String> givenServer(@Nullable LockConnectionDetails details) {
        List<String> given = new ArrayList<>();
        if (url != null) {
            given.add(URL);
        }
        if (StringUtils.hasText(ssl.bundle)) {
            given.add(BUNDLE);
        }
        if (details != null) {
            given.add(DETAILS);
        }
        return given;
    }

    /** Without the URL, which may contain a password. */
    @Override
    public String toString() {
        return "RedisProperties[" + toSettings() + "]";
    }

    /**
     * The separate server for locks; null if they use the application's.
     *
     * @throws LockSetupException if there is a bundle, but no server to use it for
     * @throws InvalidLockPropertyException if there is no such bundle
     */
    @Nullable
    RedisServer server(SslBundleLookup bundles) {
        if (url != null) {
            return RedisServer.ofUrl(URL, url).with(bundles.find(BUNDLE, ssl.bundle));
        }
        if (StringUtils.hasText(ssl.bundle)) {
            throw new LockSetupException(
                    BUNDLE + " is set, but " + URL + " is not.",
                    "Set " + URL
                            + " to the URL of the Redis server for locks, or use spring.data.redis.ssl.bundle for the"
                            + " application's Redis.",
                    null);
        }
        return null;
    }
}
