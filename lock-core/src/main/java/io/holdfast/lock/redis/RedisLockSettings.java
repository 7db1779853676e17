package io.holdfast.lock.redis;

import java.time.Duration;

/**
 * How locks are kept in Redis.
 *
 * @param keyPrefix the first part of each key; no braces, blanks or control characters; default "lock"
 * @param commandTimeout limits the answer of one command and the wait for a pooled connection; 10 ms to 1 min, default
 *     1 s
 * @param tokenRetention how long the last fencing token of an unused lock is remembered; 1 s to 365 days, default
 *     10 min
 * @param connections the most connections that lock calls use at a time, where the client pools them (Jedis); 1 to
 *     1,000, default 16
 * @param replicaAcks how many replicas must have a grant or a renewal before it counts; default none
 * @param rejoinDelay how long a server that has started without its data grants no lock that it does not know; zero, for
 *     at once, to 365 days; default zero
 */
public record RedisLockSettings(
        String keyPrefix,
        Duration commandTimeout,
        Duration tokenRetention,
        int connections,
        ReplicaAcks replicaAcks,
        Duration rejoinDelay) {

    private static final int MOST_REPLICAS = 100;

    /** Prefix "lock", 1 s, 10 min, 16 connections, no acknowledgement by replicas, no delay. */
    public static final RedisLockSettings STANDARD = new RedisLockSettings(
            "lock", Duration.ofSeconds(1), Duration.ofMinutes(10), 16, ReplicaAcks.NONE, Duration.ZERO);

    /**
     * The replicas that must have what was written before it counts.
     *
     * @param number how many; 0 to 100, 0 waits for none
     * @param timeout how long they may take, beside the command itself; 1 ms to 1 min
     */
    public record ReplicaAcks(int number, Duration timeout) {

        /** A grant counts as soon as the primary has it. */
        public static final ReplicaAcks NONE = new ReplicaAcks(0, Duration.ofMillis(500));

        /**
         * Checks the components.
         *
         * @throws IllegalArgumentException if one is out of range; the message says which, and what is allowed
         */
        public ReplicaAcks {
            if (number < 0 || number > MOST_REPLICAS) {
                throw new IllegalArgumentException(
                        "the number of replica acks is " + number + "; allowed is 0 to " + MOST_REPLICAS);
            }
            Ranges.check("the timeout of replica acks", timeout, Duration.ofMillis(1), Duration.ofMinutes(1));
        }
    }

    /**
     * Checks settings. A class of its own because the record inside is checked too: were that loaded first, and asked the
     * outer one, then the outer one's constants would be made before those of the record.
     */
    private static final class Ranges {

        private Ranges() {}

        static void check(String name, Duration value, Duration min, Duration max) {
            if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
                throw new IllegalArgumentException(
                        name + " is " + value + "; allowed is " + min.toMillis() + " ms to " + text(max));
            }
        }

        private static String text(Duration value) {
            return value.toDays() > 0 ? value.toDays() + " days" : value.toSeconds() + " s";
        }
    }

    /**
     * Checks the components.
     *
     * @throws IllegalArgumentException if a setting is out of range; the message says which, and what is allowed
     */
    public RedisLockSettings {
        if (!keyPrefix.matches("[^{}\\s\\p{Cntrl}\\p{Cs}]{1,200}")) {
            throw new IllegalArgumentException("keyPrefix is '" + keyPrefix
                    + "'; it must be 1 to 200 characters without braces, blanks, control characters or unpaired"
                    + " surrogates");
        }
        Ranges.check("commandTimeout", commandTimeout, Duration.ofMillis(10), Duration.ofMinutes(1));
        Ranges.check("tokenRetention", tokenRetention, Duration.ofSeconds(1), Duration.ofDays(365));
        if (connections < 1 || connections > 1000) {
            throw new IllegalArgumentException("connections is " + connections + "; allowed is 1 to 1000");
        }
        Ranges.check("rejoinDelay", rejoinDelay, Duration.ZERO, Duration.ofDays(365));
    }

    /**
     * {@return a copy with that prefix}
     *
     * @param value the first part of each key
     */
    public RedisLockSettings withKeyPrefix(String value) {
        return new RedisLockSettings(value, commandTimeout, tokenRetention, connections, replicaAcks, rejoinDelay);
    }

    /**
     * {@return a copy with that limit}
     *
     * @param value limits one command
     */
    public RedisLockSettings withCommandTimeout(Duration value) {
        return new RedisLockSettings(keyPrefix, value, tokenRetention, connections, replicaAcks, rejoinDelay);
    }

    /**
     * {@return a copy with that retention}
     *
     * @param value how long the last token of an unused lock is remembered
     */
    public RedisLockSettings withTokenRetention(Duration value) {
        return new RedisLockSettings(keyPrefix, commandTimeout, value, connections, replicaAcks, rejoinDelay);
    }

    /**
     * {@return a copy with that limit}
     *
     * @param value the most connections at a time
     */
    public RedisLockSettings withConnections(int value) {
        return new RedisLockSettings(keyPrefix, commandTimeout, tokenRetention, value, replicaAcks, rejoinDelay);
    }

    /**
     * {@return a copy with those acknowledgements}
     *
     * @param value how many replicas must have a grant or a renewal
     */
    public RedisLockSettings withReplicaAcks(ReplicaAcks value) {
        return new RedisLockSettings(keyPrefix, commandTimeout, tokenRetention, connections, value, rejoinDelay);
    }

    /**
     * {@return a copy with that delay}
     *
     * @param value how long a server that has lost its data grants no lock that it does not know
     */
    public RedisLockSettings withRejoinDelay(Duration value) {
        return new RedisLockSettings(keyPrefix, commandTimeout, tokenRetention, connections, replicaAcks, value);
    }
}
