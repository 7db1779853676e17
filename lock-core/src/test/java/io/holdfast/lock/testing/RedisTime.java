package io.holdfast.lock.testing;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import redis.clients.jedis.Jedis;

/**
 * Time passes for a lock in Redis when all times in its hash move into the past. Its clock goes back when they move into the
 * future, and the last token with them.
 */
public final class RedisTime {

    /** What is as long as a time in microseconds is one, but for tokens: they follow a time in shared holds. */
    private static final Pattern TIME = Pattern.compile("(?<![:\\w])(?<!^\\d{16} )\\d{16}(?!\\w)");

    private static final Set<String> TOKENS = Set.of("token", "data");

    private RedisTime() {}

    public static void pass(Jedis redis, String lock, Duration time) {
        long micros = TimeUnit.NANOSECONDS.toMicros(time.toNanos());
        redis.hgetAll(lock).forEach((field, value) -> {
            if (!TOKENS.contains(field) || time.isNegative()) {
                redis.hset(lock, field, earlier(value, micros));
            }
        });
        long left = redis.pttl(lock);
        if (left > 0) {
            redis.pexpire(lock, left - time.toMillis());
        }
    }

    private static String earlier(String value, long micros) {
        return TIME.matcher(value).replaceAll(time -> String.valueOf(Long.parseLong(time.group()) - micros));
    }
}
