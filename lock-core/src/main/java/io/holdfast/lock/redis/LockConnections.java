package io.holdfast.lock.redis;

import io.holdfast.lock.redis.driver.DriverConnections;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.Lifecycle;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The connections of one store. Calls use some, renewals of leases and entries others, so that held locks are not lost if callers
 * exhaust their pool; each subscription has its own. If they are the application's, they are neither stopped nor closed.
 */
final class LockConnections {

    private static final Logger log = LoggerFactory.getLogger(LockConnections.class);

    private static final int RENEWAL_CONNECTIONS = 2;
    private static final int WAKEUP_CONNECTIONS = 1;

    private final RedisLockSettings settings;
    private final Drivers.Way way;
    private final DriverConnections calls;
    private final DriverConnections renewals;

    LockConnections(RedisConnectionFactory applications, RedisLockSettings settings) {
        this.settings = settings;
        this.way = Drivers.choose(applications, settings.driver());
        this.calls = connect(settings.connections());
        this.renewals = connect(RENEWAL_CONNECTIONS);
    }

    DriverConnections calls() {
        return calls;
    }

    DriverConnections renewals() {
        return renewals;
    }

    /** Connections for one subscription, which closes them with {@link #destroy}. */
    DriverConnections newWakeups() {
        return connect(WAKEUP_CONNECTIONS);
    }

    private DriverConnections connect(int connections) {
        return way.connect(settings.commandTimeout(), connections);
    }

    /** Closes all but those for wake-ups, which end with their subscriptions. */
    void stop() {
        lifecycles().forEach(Lifecycle::stop);
    }

    void start() {
        lifecycles().forEach(Lifecycle::start);
    }

    private Stream<Lifecycle> lifecycles() {
        return Stream.of(calls, renewals).filter(Lifecycle.class::isInstance).map(Lifecycle.class::cast);
    }

    void close() {
        destroy(renewals);
        destroy(calls);
    }

    /** Where Redis is, which way leads there, and why; without secrets. */
    String describe() {
        return way.description();
    }

    static void destroy(DriverConnections connections) {
        if (connections instanceof DisposableBean disposable) {
            try {
                disposable.destroy();
            } catch (Exception e) {
                log.warn("Failed to close the lock connections", e);
            }
        }
    }
}
