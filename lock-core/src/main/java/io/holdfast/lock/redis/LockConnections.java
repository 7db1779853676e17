package io.holdfast.lock.redis;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * The connections of one store: to the same Redis, with the same credentials and TLS, as the application's factory, but
 * with the locks' own timeouts, pools and identity. Calls have one factory and renewals another, so that a pool that is
 * used up by waiting callers cannot lose held locks.
 */
final class LockConnections {

    private static final Logger log = LoggerFactory.getLogger(LockConnections.class);

    private static final int RENEWAL_CONNECTIONS = 2;
    private static final boolean JEDIS = isPresent("redis.clients.jedis.Jedis");
    private static final boolean LETTUCE = isPresent("io.lettuce.core.RedisClient");

    private final RedisConnectionFactory calls;
    private final RedisConnectionFactory renewals;

    LockConnections(RedisConnectionFactory applications, RedisLockSettings settings) {
        this.calls = derive(applications, settings, settings.connections());
        this.renewals = derive(applications, settings, RENEWAL_CONNECTIONS);
    }

    RedisConnectionFactory calls() {
        return calls;
    }

    RedisConnectionFactory renewals() {
        return renewals;
    }

    /** Whether locks are spread over several servers, so that one script can't touch two of them. */
    boolean isCluster() {
        return (JEDIS && JedisConnections.fits(calls) && JedisConnections.isCluster(calls))
                || (LETTUCE && LettuceConnections.fits(calls) && LettuceConnections.isCluster(calls));
    }

    void close() {
        destroy(renewals);
        destroy(calls);
    }

    private static RedisConnectionFactory derive(
            RedisConnectionFactory applications, RedisLockSettings settings, int connections) {
        if (JEDIS && JedisConnections.fits(applications)) {
            return JedisConnections.derive(applications, settings.commandTimeout(), connections);
        }
        if (LETTUCE && LettuceConnections.fits(applications)) {
            return LettuceConnections.derive(applications, settings.commandTimeout());
        }
        log.warn(
                "Locks share the connections of {}, since it is neither a JedisConnectionFactory nor a"
                        + " LettuceConnectionFactory: give it timeouts of about {} for commands and for its pool",
                applications.getClass().getName(),
                settings.commandTimeout());
        return new SharedConnections(applications);
    }

    private static void destroy(RedisConnectionFactory factory) {
        if (factory instanceof DisposableBean disposable) {
            try {
                disposable.destroy();
            } catch (Exception e) {
                log.warn("Closing the lock connections failed", e);
            }
        }
    }

    private static boolean isPresent(String className) {
        return ClassUtils.isPresent(className, LockConnections.class.getClassLoader());
    }
}
