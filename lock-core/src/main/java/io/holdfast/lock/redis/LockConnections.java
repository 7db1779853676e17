package io.holdfast.lock.redis;

import java.time.Duration;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.Lifecycle;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The connections of one store: to the same Redis, with the same credentials and TLS, as the application's factory, but
 * with the locks' own timeouts, pools and identity. Calls have one factory, and renewals of leases
 * and seats another, so that a pool that is used up by callers cannot lose held locks; wake-ups have a third.
 */
final class LockConnections {

    private static final Logger log = LoggerFactory.getLogger(LockConnections.class);

    private static final int RENEWAL_CONNECTIONS = 2;
    private static final int WAKEUP_CONNECTIONS = 1;
    private static final String FACTORIES = "org.springframework.data.redis.connection.";
    private static final String JEDIS_FACTORY = FACTORIES + "jedis.JedisConnectionFactory";
    private static final String LETTUCE_FACTORY = FACTORIES + "lettuce.LettuceConnectionFactory";

    private final RedisConnectionFactory applications;
    private final RedisLockSettings settings;
    private final OwnConnections calls;
    private final OwnConnections renewals;

    LockConnections(RedisConnectionFactory applications, RedisLockSettings settings) {
        this.applications = applications;
        this.settings = settings;
        this.calls = derive(settings.connections(), true);
        this.renewals = derive(RENEWAL_CONNECTIONS, true);
    }

    OwnConnections calls() {
        return calls;
    }

    OwnConnections renewals() {
        return renewals;
    }

    /** Connections for one subscription, which ends them with {@link #destroy}. */
    OwnConnections newWakeups() {
        return derive(WAKEUP_CONNECTIONS, false);
    }

    /** Closes all but those for wake-ups, which end with their subscriptions. */
    void stop() {
        lifecycles().forEach(Lifecycle::stop);
    }

    void start() {
        lifecycles().forEach(Lifecycle::start);
    }

    /** Those that are shared with the application are not ours to stop. */
    private Stream<Lifecycle> lifecycles() {
        return Stream.of(calls, renewals).filter(Lifecycle.class::isInstance).map(Lifecycle.class::cast);
    }

    void close() {
        destroy(renewals);
        destroy(calls);
    }

    /** Driver, topology and addresses, without secrets. */
    String describe() {
        if (isFrom(applications, JEDIS_FACTORY)) {
            return Topology.describe(JedisConnections.configuration(applications)) + " by Jedis";
        }
        if (isFrom(applications, LETTUCE_FACTORY)) {
            return Topology.describe(LettuceConnections.configuration(applications)) + " by Lettuce";
        }
        return "Redis by " + applications.getClass().getName();
    }

    private OwnConnections derive(int connections, boolean shared) {
        if (isFrom(applications, JEDIS_FACTORY)) {
            return JedisConnections.derive(applications, settings.commandTimeout(), connections);
        }
        if (isFrom(applications, LETTUCE_FACTORY)) {
            return LettuceConnections.derive(applications, timeoutWithAcks(), shared);
        }
        log.warn(
                "Locks share the connections of {}, since it is neither a JedisConnectionFactory nor a"
                        + " LettuceConnectionFactory: give it timeouts of about {} for commands and for its pool",
                applications.getClass().getName(),
                settings.commandTimeout());
        return new SharedConnections(applications);
    }

    /** On a shared connection an answer may be as late as the acknowledgements that calls before it wait for. */
    private Duration timeoutWithAcks() {
        RedisLockSettings.ReplicaAcks acks = settings.replicaAcks();
        return acks.wanted() ? settings.commandTimeout().plus(acks.timeout()) : settings.commandTimeout();
    }

    static void destroy(RedisConnectionFactory factory) {
        if (factory instanceof DisposableBean disposable) {
            try {
                disposable.destroy();
            } catch (Exception e) {
                log.warn("Closing the lock connections failed", e);
            }
        }
    }

    /** By its name: the class of the other driver is not loaded, and need not be there. */
    private static boolean isFrom(RedisConnectionFactory factory, String type) {
        return factory.getClass().getName().equals(type);
    }
}
