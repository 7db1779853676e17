package io.holdfast.lock.spring.autoconfigure;

import static io.holdfast.lock.spring.autoconfigure.InvalidLockPropertyException.checkTime;
import static io.holdfast.lock.spring.autoconfigure.InvalidLockPropertyException.text;

import io.holdfast.lock.api.LockDefaults;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.ReleaseMode;
import io.holdfast.lock.spring.definition.ConfiguredSettings;
import io.holdfast.lock.spring.definition.LockSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
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
 * @param release What releasing a lock waits for.
 * @param maskKeys Whether logs, exceptions, events and endpoints show the keys of locks as hashes.
 * @param store Where locks are kept.
 * @param failFast Whether the application refuses to start when Redis does not answer.
 * @param redis How locks are kept in Redis.
 * @param aop How annotated methods are locked.
 * @param instances Settings of annotated methods, by the name of their definition.
 * @param scheduled Settings of annotated methods that are scheduled, where their instance does not say more.
 * @param transactions What locks have to do with transactions.
 * @param quorum Several servers that keep locks together.
 * @param shutdown What becomes of held locks when the application ends.
 * @param async Work that holds a lock after its method has returned.
 * @param events Events of locks as events of the application.
 * @param observations Observations of acquisitions.
 * @param web What clients of a web application are told.
 */
@ConfigurationProperties(prefix = "holdfast", ignoreUnknownFields = false)
record LockProperties(
        @DefaultValue("30s") Duration lease,
        @DefaultValue("5s") Duration waitFor,
        @DefaultValue("true") boolean renew,
        @Nullable Duration maxHold,
        @DefaultValue("60s") Duration warnAfter,
        @DefaultValue("30s") Duration outageTolerance,
        @DefaultValue("acknowledged") ReleaseMode release,
        @DefaultValue("false") boolean maskKeys,
        @DefaultValue("redis") Store store,
        @DefaultValue("false") boolean failFast,
        @DefaultValue @NestedConfigurationProperty RedisProperties redis,
        @DefaultValue Aop aop,
        @DefaultValue Map<String, LockInstanceProperties> instances,
        @DefaultValue @NestedConfigurationProperty LockInstanceProperties scheduled,
        @DefaultValue Transactions transactions,
        @DefaultValue @NestedConfigurationProperty QuorumProperties quorum,
        @DefaultValue Shutdown shutdown,
        @DefaultValue Async async,
        @DefaultValue Events events,
        @DefaultValue Observations observations,
        @DefaultValue Web web) {

    /**
     * Checks each value, so that a failure names its property.
     *
     * @throws InvalidLockPropertyException if a value is out of range
     */
    LockProperties {
        checkTime("holdfast.lease", lease, LockRequest.MIN_LEASE);
        checkTime("holdfast.wait-for", waitFor, Duration.ZERO);
        checkTime("holdfast.max-hold", maxHold, LockRequest.MIN_LEASE);
        checkTime("holdfast.warn-after", warnAfter, Duration.ofMillis(1));
        checkTime("holdfast.outage-tolerance", outageTolerance, Duration.ZERO);
        for (Map.Entry<String, LockInstanceProperties> each : instances.entrySet()) {
            each.getValue().checkAs("holdfast.instances." + each.getKey());
        }
        scheduled.checkAs("holdfast.scheduled");
    }

    /** What does not fit together, though each value is allowed. */
    List<String> doubts() {
        List<String> doubts = new ArrayList<>();
        if (store == Store.REDIS && redis.commandTimeout().compareTo(lease) >= 0) {
            doubts.add("holdfast.redis.command-timeout is " + text(redis.commandTimeout())
                    + ", which is not less than holdfast.lease of " + text(lease)
                    + ": a lock is lost while a single renewal waits for its reply");
        }
        if (transactions.commitMargin().compareTo(lease) >= 0) {
            doubts.add("holdfast.transactions.commit-margin is " + text(transactions.commitMargin())
                    + ", which is not less than holdfast.lease of " + text(lease)
                    + ": every commit extends all locks with a call to Redis");
        }
        return doubts;
    }

    LockDefaults toDefaults() {
        return new LockDefaults(
                lease, waitFor, renew, Optional.ofNullable(maxHold), warnAfter, outageTolerance, release);
    }

    ConfiguredSettings toSettings() {
        Map<String, LockSettings> settings = new HashMap<>();
        for (Map.Entry<String, LockInstanceProperties> each : instances.entrySet()) {
            settings.put(each.getKey(), each.getValue().toSettings());
        }
        return new ConfiguredSettings(waitFor, scheduled.toSettings(), Map.copyOf(settings));
    }

    /** Where locks are kept. */
    enum Store {
        /** In Redis: the application's, one of their own, or a quorum. */
        REDIS,
        /** In the memory of this process: for development and tests. They exclude nobody in another process. */
        IN_MEMORY
    }

    /**
     * What becomes of held locks when the application ends.
     *
     * @param await How long those who hold locks may go on, from when the application begins to end. Zero is not at all.
     */
    record Shutdown(@DefaultValue("10s") Duration await) {

        private static final Duration LONGEST = Duration.ofDays(1);

        /**
         * Checks the value.
         *
         * @throws InvalidLockPropertyException if it is out of range
         */
        Shutdown {
            if (await.isNegative() || await.compareTo(LONGEST) > 0) {
                throw new InvalidLockPropertyException("holdfast.shutdown.await", await, "0 s to 1 day");
            }
        }
    }

    /**
     * Work that holds a lock after its method has returned.
     *
     * @param maxWaiting How many calls of executeAsync and subscriptions to locked methods may wait for a lock at a time. One
     *     more fails at once.
     */
    record Async(@DefaultValue("10000") int maxWaiting) {

        /**
         * Checks the value.
         *
         * @throws InvalidLockPropertyException if it is out of range
         */
        Async {
            if (maxWaiting < 1) {
                throw new InvalidLockPropertyException("holdfast.async.max-waiting", maxWaiting, "1 or more");
            }
        }
    }

    /**
     * Events of locks as events of the application.
     *
     * @param publish Whether what happens to locks is published as application events.
     */
    record Events(@DefaultValue("true") boolean publish) {}

    /**
     * Observations of acquisitions.
     *
     * @param enabled Whether acquisitions are observed, and so appear in traces.
     * @param includeKey Whether the key of the lock is a high-cardinality key value of the observation.
     */
    record Observations(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("false") boolean includeKey) {}

    /**
     * What clients of a web application are told.
     *
     * @param problemDetails Whether a lock that was not free is answered by a problem detail, instead of status 500.
     * @param notAcquiredStatus HTTP status of that answer, such as 409, 423 or 503.
     * @param retryAfter When a client is to try again, in whole seconds.
     */
    record Web(
            @DefaultValue("false") boolean problemDetails,
            @DefaultValue("409") int notAcquiredStatus,
            @DefaultValue("1s") Duration retryAfter) {

        private static final Duration LATEST = Duration.ofDays(1);

        /**
         * Checks the value.
         *
         * @throws InvalidLockPropertyException if it is out of range
         */
        Web {
            if (notAcquiredStatus < 400 || notAcquiredStatus > 599) {
                throw new InvalidLockPropertyException(
                        "holdfast.web.not-acquired-status", notAcquiredStatus, "400 to 599");
            }
            if (retryAfter.isNegative() || retryAfter.compareTo(LATEST) > 0) {
                throw new InvalidLockPropertyException("holdfast.web.retry-after", retryAfter, "0 s to 1 day");
            }
        }
    }

    /**
     * How annotated methods are locked.
     *
     * @param order Place of the lock advisor among other advisors, lower is further outside. Must be outside
     *     transactions.
     */
    record Aop(@DefaultValue("2147483547") int order) {}

    /**
     * What locks have to do with transactions.
     *
     * @param releaseAfterCompletion Whether the lock of an annotated method that is called inside a transaction is
     *     released when that transaction has ended. If false, when the method ends, before the commit.
     * @param commitMargin How long all locks of the thread must last from a commit on. Locks with less left are extended,
     *     and the transaction is rolled back if one was lost.
     */
    record Transactions(
            @DefaultValue("true") boolean releaseAfterCompletion,
            @DefaultValue("500ms") Duration commitMargin) {

        /**
         * Checks each value, so that a failure names its property.
         *
         * @throws InvalidLockPropertyException if a value is out of range
         */
        Transactions {
            checkTime("holdfast.transactions.commit-margin", commitMargin, Duration.ZERO);
        }
    }
}
