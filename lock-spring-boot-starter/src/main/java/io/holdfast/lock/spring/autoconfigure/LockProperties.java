package io.holdfast.lock.spring.autoconfigure;

import static io.holdfast.lock.spring.autoconfigure.InvalidLockPropertyException.checkTime;
import static io.holdfast.lock.spring.autoconfigure.InvalidLockPropertyException.text;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.definition.ConfiguredOptions;
import io.holdfast.lock.spring.definition.LiteralText;
import io.holdfast.lock.spring.definition.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of distributed locks.
 *
 * @param lease How long a lock survives without renewal, at least 100ms.
 * @param waitFor How long annotated methods, execute and acquire wait for a lock. Zero is a single try.
 * @param renew Whether leases are renewed while locks are held.
 * @param maxHold Time after which renewal ends, counted from the grant. No limit by default.
 * @param warnAfter Time after which a lock that is still held is logged once.
 * @param outageTolerance How long a queued caller waits for Redis to recover from a failure, within its wait-for. Zero fails
 *     immediately.
 * @param maskKeys Whether logs, exceptions, events and endpoints show the keys of locks as hashes.
 * @param store Where locks are kept.
 * @param failFast Whether the application fails to start if Redis does not respond.
 * @param redis How locks are kept in Redis.
 * @param aop How annotated methods are locked.
 * @param instances Settings of annotated methods, by the name of their definition.
 * @param scheduled Settings of annotated methods that are scheduled, unless set in holdfast.instances.
 * @param transactions Locks and transactions.
 * @param quorum Independent servers that form a quorum.
 * @param leadership Leadership among the instances of the application.
 * @param shutdown Locks that are held when the application shuts down.
 * @param async Asynchronous work under locks.
 * @param events Lock events as application events.
 * @param observations Observations of acquisitions.
 * @param web Responses of web applications.
 */
@ConfigurationProperties(prefix = "holdfast", ignoreUnknownFields = false)
record LockProperties(
        @DefaultValue("30s") Duration lease,
        @DefaultValue("5s") Duration waitFor,
        @DefaultValue("true") boolean renew,
        @Nullable Duration maxHold,
        @DefaultValue("60s") Duration warnAfter,
        @DefaultValue("30s") Duration outageTolerance,
        @DefaultValue("false") boolean maskKeys,
        @DefaultValue("redis") Store store,
        @DefaultValue("false") boolean failFast,
        @DefaultValue @NestedConfigurationProperty RedisProperties redis,
        @DefaultValue Aop aop,
        @DefaultValue Map<String, LockOptions> instances,
        @DefaultValue @NestedConfigurationProperty LockOptions scheduled,
        @DefaultValue Transactions transactions,
        @DefaultValue @NestedConfigurationProperty QuorumProperties quorum,
        @DefaultValue @NestedConfigurationProperty LeadershipProperties leadership,
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
        for (Map.Entry<String, LockOptions> each : instances.entrySet()) {
            requireLiteral("holdfast.instances", each.getKey(), "name");
            checkOptions("holdfast.instances." + each.getKey(), each.getValue());
        }
        checkOptions("holdfast.scheduled", scheduled);
    }

    private static void checkOptions(String prefix, LockOptions options) {
        checkTime(prefix + ".lease", options.lease(), LockRequest.MIN_LEASE);
        checkTime(prefix + ".wait-for", options.waitFor(), Duration.ZERO);
        checkTime(prefix + ".min-hold", options.minHold(), Duration.ZERO);
        checkTime(prefix + ".max-hold", options.maxHold(), LockRequest.MIN_LEASE);
        checkTime(prefix + ".outage-tolerance", options.outageTolerance(), Duration.ZERO);
        checkCount(prefix + ".limit", options.limit());
        checkCount(prefix + ".weight", options.weight());
        checkCount(prefix + ".max-waiting", options.maxWaiting());
    }

    private static void checkCount(String property, @Nullable Integer value) {
        if (value != null && value < 1) {
            throw new InvalidLockPropertyException(property, value, "1 or more");
        }
    }

    /** Such as a name, which is compared with those of annotations: these are no expressions either. */
    static void requireLiteral(String property, String value, String what) {
        if (LiteralText.isExpression(value)) {
            throw new InvalidLockPropertyException(property, value, "a literal " + what + ", not an expression");
        }
    }

    /** Combinations of valid values that do not make sense. */
    List<String> doubts() {
        List<String> doubts = new ArrayList<>();
        boolean quorum = quorum().nodes() != null;
        Duration timeout = quorum ? quorum().nodeTimeout() : redis.commandTimeout();
        if (store == Store.REDIS && timeout.compareTo(lease) >= 0) {
            doubts.add((quorum ? "holdfast.quorum.node-timeout" : "holdfast.redis.command-timeout") + " is "
                    + text(timeout) + ", which is not less than holdfast.lease (" + text(lease)
                    + "): a lock can be lost while a single renewal waits for its reply");
        }
        if (maxHold != null && maxHold.compareTo(lease) < 0) {
            doubts.add("holdfast.max-hold is " + text(maxHold) + ", which is less than holdfast.lease (" + text(lease)
                    + "): a lock that is not released is held until its lease expires");
        }
        if (transactions.commitMargin().compareTo(lease) >= 0) {
            doubts.add("holdfast.transactions.commit-margin is " + text(transactions.commitMargin())
                    + ", which is not less than holdfast.lease (" + text(lease)
                    + "): every commit extends all locks with a call to Redis");
        }
        return doubts;
    }

    LockRequest defaults(LockRequest request) {
        LockRequest defaults = request.lease(lease)
                .waitFor(waitFor)
                .renew(renew)
                .warnAfter(warnAfter)
                .outageTolerance(outageTolerance);
        return maxHold == null ? defaults : defaults.maxHold(maxHold);
    }

    ConfiguredOptions toOptions() {
        return new ConfiguredOptions(waitFor, scheduled, instances);
    }

    /** Where locks are kept. */
    enum Store {
        /** In Redis: that of the application, a separate one, or a quorum. */
        REDIS,
        /** In the memory of this process, for development and tests. Such locks do not work across processes. */
        IN_MEMORY
    }

    /**
     * Locks that are held when the application shuts down.
     *
     * @param await How long holders may keep their locks after shutdown has begun. Zero releases them immediately.
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
                throw new InvalidLockPropertyException("holdfast.shutdown.await", await, "between 0 s and 1 day");
            }
        }
    }

    /**
     * Asynchronous work under locks.
     *
     * @param maxWaiting How many calls to executeAsync and subscriptions to locked methods may wait for locks at a time.
     *     Calls beyond that fail immediately.
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
     * Lock events as application events.
     *
     * @param publish Whether lock events are published as application events.
     */
    record Events(@DefaultValue("true") boolean publish) {}

    /**
     * Observations of acquisitions.
     *
     * @param enabled Whether acquisitions are observed, and therefore appear in traces.
     * @param includeKey Whether the key of the lock is a high-cardinality key value of the observation.
     */
    record Observations(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("false") boolean includeKey) {}

    /**
     * Responses of web applications.
     *
     * @param problemDetails Whether to respond with a problem detail, instead of status 500, if a lock is not acquired.
     * @param notAcquiredStatus HTTP status of that response, such as 409, 423 or 503.
     * @param retryAfter Value of the Retry-After header, in whole seconds.
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
                        "holdfast.web.not-acquired-status", notAcquiredStatus, "between 400 and 599");
            }
            if (retryAfter.isNegative() || retryAfter.compareTo(LATEST) > 0) {
                throw new InvalidLockPropertyException("holdfast.web.retry-after", retryAfter, "between 0 s and 1 day");
            }
        }
    }

    /**
     * How annotated methods are locked.
     *
     * @param order Order of the lock advisor. Lower values are further out. The lock must be outside the transaction.
     */
    record Aop(@DefaultValue("2147483547") int order) {}

    /**
     * Locks and transactions.
     *
     * @param releaseAfterCompletion Whether the lock of an annotated method that is called inside a transaction is released after
     *     the transaction has completed, instead of when the method ends.
     * @param commitMargin How much longer the thread's locks must last when a commit begins. Locks that would expire sooner are
     *     extended. If one was lost, the transaction is rolled back.
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
