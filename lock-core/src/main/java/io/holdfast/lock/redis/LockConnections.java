package io.holdfast.lock.redis;

import io.holdfast.lock.redis.driver.DriverConnections;
import io.holdfast.lock.redis.driver.Wire;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.Lifecycle;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The connections of one store: to the same Redis, with the same credentials and TLS, as the application's factory, but
 * with the locks' own timeouts, pools and identity. Calls use one factory, and renewals of leases and entries another, so that
 * held locks are not lost if callers exhaust their pool; wake-ups use a third.
 */
final class LockConnections {

    private static final Logger log = LoggerFactory.getLogger(LockConnections.class);

    private static final int RENEWAL_CONNECTIONS = 2;
    private static final int WAKEUP_CONNECTIONS = 1;

    private final RedisConnectionFactory applications;
    private final RedisLockSettings settings;
    private final Wire.Acks acks;
    private final DriverConnections calls;
    private final DriverConnections renewals;

    LockConnections(RedisConnectionFactory applications, RedisLockSettings settings, Wire.Acks acks) {
        this.applications = applications;
        this.settings = settings;
        this.acks = acks;
        Drivers.warnIfShared(applications, settings.commandTimeout());
        this.calls = derive(settings.connections(), true);
        this.renewals = derive(RENEWAL_CONNECTIONS, true);
    }

    DriverConnections calls() {
        return calls;
    }

    DriverConnections renewals() {
        return renewals;
    }

    /** Connections for one subscription, which closes them with {@link #destroy}. */
    DriverConnections newWakeups() {
        return derive(WAKEUP_CONNECTIONS, false);
    }

    /** Closes all but those for wake-ups, which end with their subscriptions. */
    void stop() {
        lifecycles().forEach(Lifecycle::stop);
    }

    void start() {
        lifecycles().forEach(Lifecycle::start);
    }

    /** Connections that are shared with the application are not stopped. */
    private Stream<Lifecycle> lifecycles() {
        return Stream.of(calls, renewals).filter(Lifecycle.class::isInstance).map(Lifecycle.class::cast);
    }

    void close() {
        destroy(renewals);
        destroy(calls);
    }

    /** Driver, topology and addresses, without secrets. */
    String describe() {
        return Drivers.describe(applications);
    }

    private DriverConnections derive(int connections, boolean shared) {
        return Drivers.derive(applications, settings.commandTimeout(), acks, connections, shared);
    }

    static void destroy(RedisConnectionFactory factory) {
        if (factory instanceof DisposableBean disposable) {
            try {
                disposable.destroy();
            } catch (Exception e) {
                log.warn("Failed to close the lock connections", e);
            }
        }
    }
}
