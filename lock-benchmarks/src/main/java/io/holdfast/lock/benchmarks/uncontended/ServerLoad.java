package io.holdfast.lock.benchmarks.uncontended;

import java.util.regex.Pattern;
import redis.clients.jedis.Jedis;

/** The work that a server has done since it started.
 *
 * @param processorMicros its CPU time, in microseconds
 * @param scripts how many scripts it has run
 */
public record ServerLoad(double processorMicros, long scripts) {

    private static final Pattern PROCESSOR = Pattern.compile("used_cpu_(?:sys|user):([\\d.]+)");
    private static final Pattern SCRIPTS = Pattern.compile("cmdstat_(?:eval|evalsha):calls=(\\d+)");
    private static final double MICROS = 1e6;

    /** {@return the work that the server at that port has done} */
    public static ServerLoad of(int port) {
        try (Jedis redis = new Jedis("127.0.0.1", port)) {
            double seconds = PROCESSOR
                    .matcher(redis.info("cpu"))
                    .results()
                    .mapToDouble(found -> Double.parseDouble(found.group(1)))
                    .sum();
            long scripts = SCRIPTS.matcher(redis.info("commandstats"))
                    .results()
                    .mapToLong(found -> Long.parseLong(found.group(1)))
                    .sum();
            return new ServerLoad(seconds * MICROS, scripts);
        }
    }

    /**
     * {@return the server's CPU time for a pair of lock and unlock, in microseconds}
     *
     * @param before the work it had done before
     * @param scriptsForPair how many scripts a pair takes
     */
    public double microsForPairSince(ServerLoad before, int scriptsForPair) {
        return (processorMicros - before.processorMicros) * scriptsForPair / (scripts - before.scripts);
    }
}
