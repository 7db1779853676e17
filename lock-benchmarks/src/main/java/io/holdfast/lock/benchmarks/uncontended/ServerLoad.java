package io.holdfast.lock.benchmarks.uncontended;

import java.util.regex.Pattern;
import redis.clients.jedis.Jedis;

/**
 * What a server has done since its start.
 *
 * @param processorMicros time of the processor
 * @param calls commands that clients lock and unlock with: scripts, and SET, which no script calls
 */
public record ServerLoad(double processorMicros, long calls) {

    private static final Pattern PROCESSOR = Pattern.compile("used_cpu_(?:sys|user):([\\d.]+)");
    private static final Pattern CALLS = Pattern.compile("cmdstat_(?:eval|evalsha|set):calls=(\\d+)");
    private static final double MICROS = 1e6;
    private static final double CALLS_FOR_A_PAIR = 2;

    /** {@return what the server at that port has done} */
    public static ServerLoad of(int port) {
        try (Jedis redis = new Jedis("127.0.0.1", port)) {
            double seconds = PROCESSOR
                    .matcher(redis.info("cpu"))
                    .results()
                    .mapToDouble(found -> Double.parseDouble(found.group(1)))
                    .sum();
            long calls = CALLS.matcher(redis.info("commandstats"))
                    .results()
                    .mapToLong(found -> Long.parseLong(found.group(1)))
                    .sum();
            return new ServerLoad(seconds * MICROS, calls);
        }
    }

    /**
     * {@return the server's processor time for a pair of lock and unlock, in microseconds}
     *
     * @param before what it had done before
     */
    public double microsForPairSince(ServerLoad before) {
        return (processorMicros - before.processorMicros) * CALLS_FOR_A_PAIR / (calls - before.calls);
    }
}
