package io.holdfast.lock.scenes;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.testing.TestRedis;
import redis.clients.jedis.Jedis;

/** How often a server was sent a command, by its own count. */
final class CommandCount implements AutoCloseable {

    private final Jedis redis;

    CommandCount(int port) {
        redis = TestRedis.administrator(port);
    }

    void reset() {
        redis.configResetStat();
    }

    /** Commands that scripts call are counted too. */
    long of(String command) {
        return redis.info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_" + command + ":calls="))
                .mapToLong(line -> Long.parseLong(line.split("=|,", 3)[1]))
                .sum();
    }

    /** How many clients hear. */
    int subscriptions() {
        return redis.pubsubChannels("holdfast:wake:*").size();
    }

    /** How many clients hear, but for the holder, who does too when it has held its lock for a while. */
    long waitersThatHear(LockHolder holder) {
        return redis.pubsubChannels("holdfast:wake:*").stream()
                .filter(channel -> !channel.equals("holdfast:wake:" + holder.clientId()))
                .count();
    }

    @Override
    public void close() {
        redis.close();
    }
}
