package io.holdfast.lock.redis;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How locks are kept in Redis. Immutable: start with {@link #STANDARD}, and change individual settings. */
public final class RedisLockSettings {

    private static final int MOST_REPLICAS = 100;

    /** Prefix "lock", 1 s, 10 min, 16 connections, no acknowledgement by replicas, no delay, driver AUTO. */
    public static final RedisLockSettings STANDARD = new RedisLockSettings(new Values());

    private final Values values;

    /** Changed only before it belongs to an instance. */
    private static final class Values {

        private String keyPrefix = "lock";
        private Duration commandTimeout = Duration.ofSeconds(1);
        private Duration tokenRetention = Duration.ofMinutes(10);
        private int connections = 16;
        private ReplicaAcks replicaAcks = ReplicaAcks.NONE;
        private Duration rejoinDelay = Duration.ZERO;
        private Driver driver = Driver.AUTO;

        private Values copy() {
            Values copy = new Values();
            copy.keyPrefix = keyPrefix;
            copy.commandTimeout = commandTimeout;
            copy.tokenRetention = tokenRetention;
            copy.connections = connections;
            copy.replicaAcks = replicaAcks;
            copy.rejoinDelay = rejoinDelay;
            copy.driver = driver;
            return copy;
        }

        private void check() {
            if (!keyPrefix.matches("[^{}\\s\\p{Cntrl}\\p{Cs}]{1,200}")) {
                throw new IllegalArgumentException("keyPrefix is '" + keyPrefix
                        + "'; it must be 1 to 200 characters without braces, whitespace, control characters or unpaired"
                        + " surrogates");
            }
            ReplicaAcks.check("commandTimeout", commandTimeout, Duration.ofMillis(10), Duration.ofMinutes(1));
            ReplicaAcks.check("tokenRetention", tokenRetention, Duration.ofSeconds(1), Duration.ofDays(365));
            if (connections < 1 || connections > 1000) {
                throw new IllegalArgumentException("connections is " + connections + "; it must be between 1 and 1000");
            }
            ReplicaAcks.check("rejoinDelay", rejoinDelay, Duration.ZERO, Duration.ofDays(365));
        }

        private List<Object> all() {
            return List.of(keyPrefix, commandTimeout, tokenRetention, connections, replicaAcks, rejoinDelay, driver);
        }
    }

    private RedisLockSettings(Values values) {
        this.values = values;
    }

    private RedisLockSettings with(Consumer<Values> change) {
        Values changed = values.copy();
        change.accept(changed);
        changed.check();
        return new RedisLockSettings(changed);
    }

    /** How locks reach Redis. */
    public enum Driver {

        /** {@link #JEDIS} if all that the application has configured can be carried over to it, else {@link #REDIS_TEMPLATE}. */
        AUTO,

        /**
         * Over dedicated Jedis connections, configured like the application's connection factory, which may be one for Lettuce.
         * A store cannot be created if Jedis is missing, or if something cannot be carried over.
         */
        JEDIS,

        /** Through a {@code RedisTemplate} on the application's factory, with its connections and timeouts. */
        REDIS_TEMPLATE
    }

    /**
     * The replicas that must have acknowledged a write before it counts.
     *
     * @param number the number of replicas; 0 to 100; 0 waits for none
     * @param timeout how long they may take, in addition to the command itself; 1 ms to 1 min
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
                        "the number of replica acks is " + number + "; it must be between 0 and " + MOST_REPLICAS);
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
                throw new IllegalArgumentException(
                        name + " is " + value + "; it must be between " + min.toMillis() + " ms and " + most);
            }
        }
    }

    /** {@return the first part of each key} */
    public String keyPrefix() {
        return values.keyPrefix;
    }

    /** {@return how long one command may take, including the wait for a pooled connection} */
    public Duration commandTimeout() {
        return values.commandTimeout;
    }

    /** {@return how long the last fencing token of an unused lock is remembered} */
    public Duration tokenRetention() {
        return values.tokenRetention;
    }

    /** {@return the maximum number of Jedis connections for locks} */
    public int connections() {
        return values.connections;
    }

    /** {@return how many replicas must acknowledge a grant or a renewal before it counts} */
    public ReplicaAcks replicaAcks() {
        return values.replicaAcks;
    }

    /** {@return how long a server that has started without its data refuses to grant unknown locks} */
    public Duration rejoinDelay() {
        return values.rejoinDelay;
    }

    /** {@return how locks reach Redis} */
    public Driver driver() {
        return values.driver;
    }

    /**
     * {@return a copy with the given prefix}
     *
     * @param value the first part of each key; no braces, whitespace or control characters; 1 to 200 characters
     * @throws IllegalArgumentException if it is out of range
     */
    public RedisLockSettings withKeyPrefix(String value) {
        return with(values -> values.keyPrefix = value);
    }

    /**
     * {@return a copy with the given timeout}
     *
     * @param value how long one command may take, including the wait for a pooled connection; 10 ms to 1 min
     * @throws IllegalArgumentException if it is out of range
     */
    public RedisLockSettings withCommandTimeout(Duration value) {
        return with(values -> values.commandTimeout = value);
    }

    /**
     * {@return a copy with the given retention}
     *
     * @param value how long the last fencing token of an unused lock is remembered; 1 s to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public RedisLockSettings withTokenRetention(Duration value) {
        return with(values -> values.tokenRetention = value);
    }

    /**
     * {@return a copy with the given limit}
     *
     * @param value the maximum number of Jedis connections for locks; 1 to 1,000
     * @throws IllegalArgumentException if it is out of range
     */
    public RedisLockSettings withConnections(int value) {
        return with(values -> values.connections = value);
    }

    /**
     * {@return a copy with the given number of acknowledgements}
     *
     * @param value how many replicas must acknowledge a grant or a renewal before it counts; {@link ReplicaAcks#NONE} for none. A
     *     {@link RedisLockStore} does not accept both this and a {@linkplain #withRejoinDelay delay}
     */
    public RedisLockSettings withReplicaAcks(ReplicaAcks value) {
        return with(values -> values.replicaAcks = value);
    }

    /**
     * {@return a copy with the given delay}
     *
     * @param value how long a server that has started without its data refuses to grant unknown locks; zero, to grant them
     *     immediately, to 365 days
     * @throws IllegalArgumentException if it is out of range
     */
    public RedisLockSettings withRejoinDelay(Duration value) {
        return with(values -> values.rejoinDelay = value);
    }

    /**
     * {@return a copy with the given driver}
     *
     * @param value how locks reach Redis
     */
    public RedisLockSettings withDriver(Driver value) {
        return with(values -> values.driver = value);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RedisLockSettings settings && values.all().equals(settings.values.all());
    }

    @Override
    public int hashCode() {
        return values.all().hashCode();
    }

    @Override
    public String toString() {
        return ("RedisLockSettings[keyPrefix=%s, commandTimeout=%s, tokenRetention=%s, connections=%s, replicaAcks=%s,"
                        + " rejoinDelay=%s, driver=%s]")
                .formatted(values.all().toArray());
    }
}
