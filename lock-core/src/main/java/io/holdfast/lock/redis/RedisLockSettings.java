package io.holdfast.lock.redis;

import java.time.Duration;

/**
 * How locks are kept in Redis.
 *
 * @param keyPrefix the first part of each key; no braces, blanks or control characters; "lock" unless told
 * @param commandTimeout limits the answer of one command and the wait for a pooled connection; 10 ms to 1 min, 1 s unless
 *     told
 * @param tokenRetention how long the last fencing token of an unused lock is remembered; 1 s to 365 days, 10 min unless
 *     told
 * @param connections the most connections that lock calls use at a time, where the client pools them (Jedis); 1 to
 *     1,000, 16 unless told
 */
public record RedisLockSettings(String keyPrefix, Duration commandTimeout, Duration tokenRetention, int connections) {

    /** Prefix "lock", 1 s, 10 min, 16 connections. */
    public static final RedisLockSettings STANDARD =
            new RedisLockSettings("lock", Duration.ofSeconds(1), Duration.ofMinutes(10), 16);

    /**
     * Checks the components.
     *
     * @throws IllegalArgumentException if a setting is out of range; the message says which, and what is allowed
     */
    public RedisLockSettings {
        if (!keyPrefix.matches("[^{}\\s\\p{Cntrl}\\p{Cs}]{1,200}")) {
            throw new IllegalArgumentException("keyPrefix is '" + keyPrefix
                    + "'; allowed are 1 to 200 characters without braces, blanks, control characters and unpaired"
                    + " surrogates");
        }
        checkRange("commandTimeout", commandTimeout, Duration.ofMillis(10), Duration.ofMinutes(1));
        checkRange("tokenRetention", tokenRetention, Duration.ofSeconds(1), Duration.ofDays(365));
        if (connections < 1 || connections > 1000) {
            throw new IllegalArgumentException("connections is " + connections + "; allowed is 1 to 1000");
        }
    }

    private static String text(Duration value) {
        return value.toDays() > 0 ? value.toDays() + " days" : value.toSeconds() + " s";
    }

    private static void checkRange(String name, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(
                    name + " is " + value + "; allowed is " + min.toMillis() + " ms to " + text(max));
        }
    }

    /**
     * {@return a copy with that prefix}
     *
     * @param value the first part of each key
     */
    public RedisLockSettings withKeyPrefix(String value) {
        return new RedisLockSettings(value, commandTimeout, tokenRetention, connections);
    }

    /**
     * {@return a copy with that limit}
     *
     * @param value limits one command
     */
    public RedisLockSettings withCommandTimeout(Duration value) {
        return new RedisLockSettings(keyPrefix, value, tokenRetention, connections);
    }

    /**
     * {@return a copy with that retention}
     *
     * @param value how long the last token of an unused lock is remembered
     */
    public RedisLockSettings withTokenRetention(Duration value) {
        return new RedisLockSettings(keyPrefix, commandTimeout, value, connections);
    }
}
