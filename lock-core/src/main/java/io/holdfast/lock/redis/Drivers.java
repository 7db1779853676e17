package io.holdfast.lock.redis;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.redis.driver.DriverConnections;
import io.holdfast.lock.redis.driver.SharedConnections;
import io.holdfast.lock.redis.driver.Topology;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.redis.driver.jedis.JedisConnections;
import io.holdfast.lock.redis.driver.lettuce.LettuceConnections;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Finds the driver of an application's factory, by the name of the factory's class: the classes of other drivers are not
 * loaded, and need not be there.
 */
final class Drivers {

    private static final Logger log = LoggerFactory.getLogger(Drivers.class);

    private static final String FACTORIES = "org.springframework.data.redis.connection.";
    private static final String JEDIS_FACTORY = FACTORIES + "jedis.JedisConnectionFactory";
    private static final String LETTUCE_FACTORY = FACTORIES + "lettuce.LettuceConnectionFactory";

    private Drivers() {}

    /**
     * Makes connections that only locks use: to the same Redis, with the same credentials and TLS, as the application's.
     * Those of an unknown driver are the application's.
     *
     * @param applications specifies where Redis is and how to log in
     * @param timeout limits the wait for the reply to one command, and for a pooled connection
     * @param acks the acknowledgements that calls also wait for
     * @param connections the maximum number, if the driver pools them
     * @param shared whether calls may share one connection, where the driver can; a subscription needs one to itself
     */
    public static DriverConnections derive(
            RedisConnectionFactory applications, Duration timeout, Wire.Acks acks, int connections, boolean shared) {
        if (isFrom(applications, JEDIS_FACTORY)) {
            return JedisConnections.derive(applications, timeout, connections);
        }
        if (isFrom(applications, LETTUCE_FACTORY)) {
            return LettuceConnections.derive(applications, timeoutWithAcks(timeout, acks), shared);
        }
        return new SharedConnections(applications);
    }

    /** Warns of connections that are the application's. To be called once for each store, which derives several. */
    static void warnIfShared(RedisConnectionFactory applications, Duration timeout) {
        if (!isFrom(applications, JEDIS_FACTORY) && !isFrom(applications, LETTUCE_FACTORY)) {
            log.warn(
                    "Locks share the connections of {} because it is neither a JedisConnectionFactory nor a"
                            + " LettuceConnectionFactory. Set its command and pool timeouts to about {}",
                    applications.getClass().getName(),
                    DurationText.of(timeout));
        }
    }

    /** On a shared connection a reply may be delayed by the acknowledgements that earlier calls wait for. */
    private static Duration timeoutWithAcks(Duration timeout, Wire.Acks acks) {
        return acks.wanted() ? timeout.plus(acks.timeout()) : timeout;
    }

    /** {@return topology, addresses and driver, without secrets} */
    public static String describe(RedisConnectionFactory applications) {
        if (isFrom(applications, JEDIS_FACTORY)) {
            return Topology.describe(JedisConnections.configuration(applications)) + " via Jedis";
        }
        if (isFrom(applications, LETTUCE_FACTORY)) {
            return Topology.describe(LettuceConnections.configuration(applications)) + " via Lettuce";
        }
        return "Redis via " + applications.getClass().getName();
    }

    /** Registers for native images what is found only by name. */
    public static void registerHints(RuntimeHints hints) {
        hints.reflection()
                .registerType(
                        TypeReference.of(LETTUCE_FACTORY),
                        type -> type.withField(LettuceConnections.CONFIGURATION_FIELD));
    }

    private static boolean isFrom(RedisConnectionFactory factory, String type) {
        return factory.getClass().getName().equals(type);
    }
}
