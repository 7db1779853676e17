package io.holdfast.lock.spring.autoconfigure;

import static io.holdfast.lock.spring.autoconfigure.InvalidLockPropertyException.check;

import io.holdfast.lock.api.LockDefaults;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.spring.definition.ConfiguredSettings;
import io.holdfast.lock.spring.definition.LockSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of distributed locks.
 *
 * @param lease How long a lock survives without renewal, at least 100ms.
 * @param waitFor How long annotated methods, execute and acquire wait for a lock. Zero is one try.
 * @param renew Whether locks are renewed while they are held.
 * @param maxHold Ends renewal this long after a lock was acquired. No limit unless set.
 * @param warnAfter A lock that is held for longer is logged once.
 * @param outageTolerance How long a caller that has queued for a lock waits for a failure of Redis, within its wait-for.
 * Zero fails at once.
 * @param store Where locks are kept.
 * @param failFast Whether the application refuses to start when Redis does not answer.
 * @param redis How locks are kept in Redis.
 * @param aop How annotated methods are locked.
 * @param instances Settings of annotated methods, by the name of their definition.
 * @param transactions What locks have to do with transactions.
 */
@ConfigurationProperties("lock")
public record LockProperties(
        @DefaultValue("30s") Duration lease,
        @DefaultValue("5s") Duration waitFor,
        @DefaultValue("true") boolean renew,
        @Nullable Duration maxHold,
        @DefaultValue("60s") Duration warnAfter,
        @DefaultValue("30s") Duration outageTolerance,
        @DefaultValue("redis") Store store,
        @DefaultValue("false") boolean failFast,
        @DefaultValue Redis redis,
        @DefaultValue Aop aop,
        @DefaultValue Map<String, LockInstanceProperties> instances,
        @DefaultValue Transactions transactions) {

    private static final LockDefaults STANDARD = LockDefaults.STANDARD;

    /**
     * Checks each value, so that a failure names its property.
     *
     * @throws InvalidLockPropertyException if a value is out of range
     */
    public LockProperties {
        check("lock.lease", lease, () -> defaults(lease, STANDARD.waitFor(), null, STANDARD.warnAfter()));
        check("lock.wait-for", waitFor, () -> defaults(STANDARD.lease(), waitFor, null, STANDARD.warnAfter()));
        check(
                "lock.max-hold",
                maxHold,
                () -> defaults(STANDARD.lease(), STANDARD.waitFor(), maxHold, STANDARD.warnAfter()));
        check("lock.warn-after", warnAfter, () -> defaults(STANDARD.lease(), STANDARD.waitFor(), null, warnAfter));
        check("lock.outage-tolerance", outageTolerance, () -> STANDARD.withOutageTolerance(outageTolerance));
        instances.forEach((name, instance) -> instance.checkAs("lock.instances." + name));
    }

    private static LockDefaults defaults(
            Duration lease, Duration waitFor, @Nullable Duration maxHold, Duration warnAfter) {
        return new LockDefaults(lease, waitFor, true, Optional.ofNullable(maxHold), warnAfter);
    }

    LockDefaults toDefaults() {
        return new LockDefaults(lease, waitFor, renew, Optional.ofNullable(maxHold), warnAfter, outageTolerance);
    }

    ConfiguredSettings toSettings() {
        Map<String, LockSettings> settings = new HashMap<>();
        instances.forEach((name, instance) -> settings.put(name, instance.toSettings()));
        return new ConfiguredSettings(waitFor, Map.copyOf(settings));
    }

    /** Where locks are kept. */
    public enum Store {
        /** In Redis: the application's, one of their own, or a quorum. */
        REDIS,
        /** In the memory of this process: for development and tests. They exclude nobody in another process. */
        IN_MEMORY
    }

    /**
     * How locks are kept in Redis.
     *
     * @param keyPrefix First part of each key, without braces and blanks.
     * @param commandTimeout Limits the answer to one command, and the wait for a pooled connection.
     * @param tokenRetention How long the last fencing token of an unused lock is remembered.
     * @param connections The most connections that locks use at a time, where the client pools them.
     * @param replicaAcks The replicas that must have a grant or a renewal before it counts.
     */
    public record Redis(
            @DefaultValue("lock") String keyPrefix,
            @DefaultValue("1s") Duration commandTimeout,
            @DefaultValue("10m") Duration tokenRetention,
            @DefaultValue("16") int connections,
            @DefaultValue ReplicaAcks replicaAcks) {

        private static final RedisLockSettings STANDARD = RedisLockSettings.STANDARD;

        /**
         * Checks each value, so that a failure names its property.
         *
         * @throws InvalidLockPropertyException if a value is out of range
         */
        public Redis {
            check("lock.redis.key-prefix", keyPrefix, () -> STANDARD.withKeyPrefix(keyPrefix));
            check("lock.redis.command-timeout", commandTimeout, () -> STANDARD.withCommandTimeout(commandTimeout));
            check("lock.redis.token-retention", tokenRetention, () -> STANDARD.withTokenRetention(tokenRetention));
            check("lock.redis.connections", connections, () -> STANDARD.withConnections(connections));
        }

        RedisLockSettings toSettings() {
            return STANDARD.withKeyPrefix(keyPrefix)
                    .withCommandTimeout(commandTimeout)
                    .withTokenRetention(tokenRetention)
                    .withConnections(connections)
                    .withReplicaAcks(replicaAcks.toSettings());
        }
    }

    /**
     * The replicas that must have a grant or a renewal before it counts.
     *
     * @param number How many replicas. With 0, it counts as soon as the primary has it.
     * @param timeout How long the replicas may take, beside the command itself.
     */
    public record ReplicaAcks(
            @DefaultValue("0") int number,
            @DefaultValue("500ms") Duration timeout) {

        private static final RedisLockSettings.ReplicaAcks NONE = RedisLockSettings.ReplicaAcks.NONE;

        /**
         * Checks each value, so that a failure names its property.
         *
         * @throws InvalidLockPropertyException if a value is out of range
         */
        public ReplicaAcks {
            check(
                    "lock.redis.replica-acks.number",
                    number,
                    () -> new RedisLockSettings.ReplicaAcks(number, NONE.timeout()));
            check(
                    "lock.redis.replica-acks.timeout",
                    timeout,
                    () -> new RedisLockSettings.ReplicaAcks(NONE.number(), timeout));
        }

        RedisLockSettings.ReplicaAcks toSettings() {
            return new RedisLockSettings.ReplicaAcks(number, timeout);
        }
    }

    /**
     * How annotated methods are locked.
     *
     * @param order Place of the lock advisor among other advisors, lower is further outside. Must be outside
     *     transactions.
     */
    public record Aop(@DefaultValue("2147483547") int order) {}

    /**
     * What locks have to do with transactions.
     *
     * @param releaseAfterCompletion Whether the lock of an annotated method that is called inside a transaction is
     *     released when that transaction has ended. If false, when the method ends, before the commit.
     * @param commitMargin How long all locks of the thread must last from a commit on. Locks with less left are extended,
     *     and the transaction is rolled back if one was lost.
     */
    public record Transactions(
            @DefaultValue("true") boolean releaseAfterCompletion,
            @DefaultValue("500ms") Duration commitMargin) {

        /**
         * Checks each value, so that a failure names its property.
         *
         * @throws InvalidLockPropertyException if a value is out of range
         */
        public Transactions {
            check(
                    "lock.transactions.commit-margin",
                    commitMargin,
                    () -> LockRequest.of("any").waitFor(commitMargin)); // of the same range
        }
    }
}
