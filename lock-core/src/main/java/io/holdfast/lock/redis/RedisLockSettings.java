package io.holdfast.lock.redis;

import io.holdfast.lock.api.OutOfRangeException;
import java.time.Duration;

/**
 * Settings for locks in Redis. Start with {@link #STANDARD}, and change individual settings: the constructor will get more parameters as
 * settings are added.
 *
 * @param keyPrefix the first part of each key; no braces, whitespace or control characters; 1 to 200 characters
 * @param commandTimeout how long one command may take, including the wait for a pooled connection; 10 ms to 1 min
 * @param tokenRetention how long the last fencing token of an unused lock is remembered; 1 s to 365 days
 * @param maxConnections the maximum number of dedicated connections to a server, on which callers send commands; 1 to 1,000
 * @param replicaAcks how many replicas must acknowledge a grant or a renewal before it counts; {@link ReplicaAcks#NONE} for none. A {@link
 *     RedisLockStore} does not accept both this and a rejoin delay
 * @param rejoinDelay how long a server that has started without its data refuses to grant unknown locks; from zero, which grants them
 *     immediately, to 365 days
 * @param connection over which connections locks reach Redis
 */
public record RedisLockSettings(
        String keyPrefix,
        Duration commandTimeout,
        Duration tokenRetention,
        int maxConnections,
        ReplicaAcks replicaAcks,
        Duration rejoinDelay,
        Connection connection) {

    private static final int MAX_REPLICAS = 100;

    /** Prefix "holdfast", 1 s, 10 min, 64 connections, no acknowledgement by replicas, no delay, connection AUTO. */
    public static final RedisLockSettings STANDARD = new RedisLockSettings(
            "holdfast",
            Duration.ofSeconds(1),
            Duration.ofMinutes(10),
            64,
            ReplicaAcks.NONE,
            Duration.ZERO,
            Connection.AUTO);

    /**
     * Checks the components.
     *
     * @throws IllegalArgumentException if one is out of range; the message states which, and what is allowed
     */
    public RedisLockSettings {
        if (!keyPrefix.matches("[^{}\\s\\p{Cntrl}\\p{Cs}]{1,200}")) {
            throw new OutOfRangeException(
                    "keyPrefix",
                    keyPrefix,
                    "1 to 200 characters without braces, whitespace, control characters or unpaired surrogates");
        }
        ReplicaAcks.check("commandTimeout", commandTimeout, Duration.ofMillis(10), Duration.ofMinutes(1));
        ReplicaAcks.check("tokenRetention", tokenRetention, Duration.ofSeconds(1), Duration.ofDays(365));
        if (maxConnections < 1 || maxConnections > 1000) {
            throw new OutOfRangeException("maxConnections", maxConnections, "between 1 and 1000");
        }
        ReplicaAcks.check("rejoinDelay", rejoinDelay, Duration.ZERO, Duration.ofDays(365));
    }

    /** Over which connections locks reach Redis. */
    public enum Connection {

        /** {@link #DEDICATED} if everything that the application has configured can be carried over, otherwise {@link #APPLICATION}. */
        AUTO,

        /**
         * Over connections of Jedis that only locks use, configured like the application's connection factory, which may be one for
         * Lettuce. A store cannot be created if Jedis is missing, or if something cannot be carried over.
         */
        DEDICATED,

        /** Over connections of the application's factory, whatever its driver, with its timeouts. */
        APPLICATION
    }

    /**
     * The replicas that must have acknowledged a write before it counts.
     *
     * @param count the number of replicas; 0 to 100; 0 waits for none
     * @param timeout how long they may take, in addition to the command itself; 1 ms to 1 min
     */
    public record ReplicaAcks(int count, Duration timeout) {

        /** A grant counts as soon as the primary has it. */
        public static final ReplicaAcks NONE = new ReplicaAcks(0, Duration.ofMillis(500));

        /**
         * Checks the components.
         *
         * @throws IllegalArgumentException if one is out of range; the message states which, and what is allowed
         */
        public ReplicaAcks {
            if (count < 0 || count > MAX_REPLICAS) {
                throw new OutOfRangeException("the number of replica acks", count, "between 0 and " + MAX_REPLICAS);
            }
            check("the timeout of replica acks", timeout, Duration.ofMillis(1), Duration.ofMinutes(1));
        }

        /**
         * Also checks the settings of the outer class. If this record called that class instead, and were loaded first, the
         * constants of the outer class would be created before its own.
         */
        private static void check(String name, Duration value, Duration min, Duration max) {
            if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
                String most = max.toDays() > 0 ? max.toDays() + " days" : max.toSeconds() + " s";
                throw new OutOfRangeException(name, value, "between " + min.toMillis() + " ms and " + most);
            }
        }
    }

    /**
     * {@return a copy with the given prefix}
     *
     * @param value see the component
     * @throws IllegalArgumentException if it is out of range
     */
    public RedisLockSettings withKeyPrefix(String value) {
        return new RedisLockSettings(
                value, commandTimeout, tokenRetention, maxConnections, replicaAcks, rejoinDelay, connection);
    }

    /**
     * {@return a copy with the given timeout}
     *
     * @param value see the component
     * @throws IllegalArgumentException if it is out of range
     */
    public RedisLockSettings withCommandTimeout(Duration value) {
        return new RedisLockSettings(
                keyPrefix, value, tokenRetention, maxConnections, replicaAcks, rejoinDelay, connection);
    }

    /**
     * {@return a copy with the given retention}
     *
     * @param value see the component
     * @throws IllegalArgumentException if it is out of range
     */
    public RedisLockSettings withTokenRetention(Duration value) {
        return new RedisLockSettings(
                keyPrefix, commandTimeout, value, maxConnections, replicaAcks, rejoinDelay, connection);
    }

    /**
     * {@return a copy with the given limit}
     *
     * @param value see the component
     * @throws IllegalArgumentException if it is out of range
     */
    public RedisLockSettings withMaxConnections(int value) {
        return new RedisLockSettings(
                keyPrefix, commandTimeout, tokenRetention, value, replicaAcks, rejoinDelay, connection);
    }

    /**
     * {@return a copy with the given number of acknowledgements}
     *
     * @param value how many replicas must acknowledge a grant or a renewal before it counts; {@link ReplicaAcks#NONE} for none. A {@link
     *     RedisLockStore} does not accept both this and a {@linkplain #withRejoinDelay rejoin delay}
     */
    public RedisLockSettings withReplicaAcks(ReplicaAcks value) {
        return new RedisLockSettings(
                keyPrefix, commandTimeout, tokenRetention, maxConnections, value, rejoinDelay, connection);
    }

    /**
     * {@return a copy with the given delay}
     *
     * @param value see the component
     * @throws IllegalArgumentException if it is out of range
     */
    public RedisLockSettings withRejoinDelay(Duration value) {
        return new RedisLockSettings(
                keyPrefix, commandTimeout, tokenRetention, maxConnections, replicaAcks, value, connection);
    }

    /**
     * {@return a copy with the given connections}
     *
     * @param value see the component
     */
    public RedisLockSettings withConnection(Connection value) {
        return new RedisLockSettings(
                keyPrefix, commandTimeout, tokenRetention, maxConnections, replicaAcks, rejoinDelay, value);
    }
}
