package io.holdfast.lock.redis.driver;

import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Asks servers by {@code INFO}, which a user who may do nothing but lock need not be allowed. */
final class EvictionPolicies {

    private static final Logger log = LoggerFactory.getLogger(EvictionPolicies.class);

    private static final String FIELD = "maxmemory_policy";
    private static final String UNKNOWN = "unknown";

    private EvictionPolicies() {}

    /** By server; of a single one under the empty name. */
    static Map<String, String> of(RedisConnectionFactory connections) {
        try (RedisConnection connection = connections.getConnection()) {
            Properties info = connection.serverCommands().info("memory");
            return info == null ? Map.of("", UNKNOWN) : read(info);
        } catch (RuntimeException e) {
            log.debug("The eviction policy could not be read", e);
            return Map.of("", UNKNOWN);
        }
    }

    /** Of a cluster each line has its server in front, and a dot. */
    static Map<String, String> read(Properties info) {
        Map<String, String> policies = new TreeMap<>();
        for (String line : info.stringPropertyNames()) {
            if (line.equals(FIELD)) {
                policies.put("", info.getProperty(line));
            } else if (line.endsWith('.' + FIELD)) {
                policies.put(line.substring(0, line.length() - FIELD.length() - 1), info.getProperty(line));
            }
        }
        return policies.isEmpty() ? Map.of("", UNKNOWN) : policies;
    }
}
