package io.holdfast.lock.redis.driver.jedis;

import static org.springframework.util.StringUtils.capitalize;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.RedisFailures;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.store.DaemonThreads;
import java.net.SocketTimeoutException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPortMapper;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/**
 * Lends the connections of Jedis' pools, and takes them back, so that nobody waits for a second command timeout.
 *
 * <p>A pool replaces a connection that comes back broken, on the thread that brings it. A caller without a reply would then wait
 * again, for a connection that it does not need, to a server that hangs. And a caller that found the pool exhausted for a while
 * would begin to connect after its timeout. So a thread has a time in which it may begin to connect: the first half of a command
 * timeout while it asks for a connection or the driver sends for it; only the first tenth if the server is known to hang, because
 * connecting then takes another timeout; none while it gives back a connection on which a call was not answered. {@link #guard} makes
 * each connect of the driver check that.
 *
 * <p>A pool wakes threads that wait for a connection when one is returned, but not when one is dropped. In that case a thread of
 * the lender creates connections for them, one at a time, until nobody waits or the server refuses.
 */
final class JedisLender {

    private static final Logger log = LoggerFactory.getLogger(JedisLender.class);

    private final Supplier<Collection<? extends Pool<Connection>>> pools;
    private final Supplier<String> server;
    private final long timeoutNanos;

    /** When the thread began to ask for a connection; only while it does. */
    private final ThreadLocal<@Nullable Long> began = new ThreadLocal<>();

    private final AtomicBoolean refilling = new AtomicBoolean();
    private volatile boolean unanswered;

    /**
     * @param pools all there are at the moment
     * @param server for messages
     */
    JedisLender(Supplier<Collection<? extends Pool<Connection>>> pools, Supplier<String> server, long timeoutNanos) {
        this.pools = pools;
        this.server = server;
        this.timeoutNanos = timeoutNanos;
    }

    /**
     * The configuration of connections that threads may only make in their time: Jedis maps the address as the first step of each
     * connect, and nowhere else.
     */
    JedisClientConfig guard(JedisClientConfig config) {
        @Nullable HostAndPortMapper mapper = config.getHostAndPortMapper();
        return DefaultJedisClientConfig.builder()
                .from(config)
                .hostAndPortMapper(address -> {
                    checkTime();
                    return mapper == null ? address : mapper.getHostAndPort(address);
                })
                .build();
    }

    private void checkTime() {
        Long since = began.get();
        if (since != null && System.nanoTime() - since >= timeoutNanos / (unanswered ? 10 : 2)) {
            throw new NoTimeLeft();
        }
    }

    /** Nothing was sent on this connection, which was not made. */
    private static final class NoTimeLeft extends JedisConnectionException {

        private static final long serialVersionUID = 1L;

        NoTimeLeft() {
            super("The deadline of this call has passed", new SocketTimeoutException("No time left to connect"));
        }
    }

    /** What may make connections on this thread, but begins none later than after half of a command timeout. */
    <T> T inTime(Supplier<T> call) {
        began.set(System.nanoTime());
        try {
            return call.get();
        } catch (RuntimeException e) {
            if (!(e instanceof NoTimeLeft) && RedisFailures.hasTimeout(e)) {
                unanswered = true;
            }
            throw e;
        } finally {
            began.remove();
        }
    }

    /**
     * The reason why no connection is available, and nothing was sent: a server that does not reply exhausts the pool, and so do many
     * calls; and where the processor is slow, a call's time may pass before it begins to connect.
     */
    RuntimeException explain(RuntimeException failure) {
        boolean noTimeLeft = failure instanceof NoTimeLeft;
        if (unanswered && (noTimeLeft || RedisFailures.isPoolExhausted(failure))) {
            return new LockStoreException(
                    capitalize(server.get())
                            + " did not respond in time, and all connections for locks are waiting for it. Check"
                            + " that the server responds, and that holdfast.redis.command-timeout is long enough.",
                    failure,
                    false);
        }
        return noTimeLeft
                ? new LockStoreException(
                        "No command was sent to " + server.get()
                                + ", because the time of the call was over before it could connect. Check that this"
                                + " process gets enough processor time (the CPU limit of its container), and that"
                                + " holdfast.redis.command-timeout is long enough.",
                        new ConnectionsInUseException(failure),
                        false)
                : failure;
    }

    /** Takes back a connection whose calls were all answered. */
    void giveBack(Connection connection) {
        if (unanswered) {
            unanswered = false;
        }
        connection.close();
    }

    /** As {@link #giveBack(Connection)}, unless one of the answers is that of a replica. */
    void giveBack(Connection connection, List<ScriptCall> calls, List<Object> replies) {
        for (int i = 0; i < calls.size(); i++) {
            if (RedisFailures.isOfReplica(calls.get(i), replies.get(i))) {
                leaveServer(connection);
                return;
            }
        }
        giveBack(connection);
    }

    /** Takes back a connection on which a call failed. One that broke is replaced by the pool. */
    void giveBack(Connection connection, RuntimeException failure) {
        if (RedisFailures.hasTimeout(failure)) {
            unanswered = true;
            giveUp(connection);
            return;
        }
        try {
            connection.close();
        } catch (JedisException e) {
            failure.addSuppressed(e);
        }
    }

    /** The server is a replica, and so is it for the other connections. */
    private void leaveServer(Connection connection) {
        giveUp(connection);
        pools.get().forEach(Pool::clear);
    }

    /** Takes back a connection that is not to be used again, and has no other one made on this thread. */
    void giveUp(Connection connection) {
        connection.setBroken();
        began.set(System.nanoTime() - timeoutNanos);
        try {
            connection.close();
        } catch (JedisException e) {
            log.trace("The pool could not replace a connection on this thread", e);
        } finally {
            began.remove();
        }
        refill();
    }

    private void refill() {
        if (isWantedByAny() && refilling.compareAndSet(false, true)) {
            DaemonThreads.create(this::connectForWaiters, "holdfast-connect").start();
        }
    }

    private boolean isWantedByAny() {
        return pools.get().stream().anyMatch(JedisLender::isWanted);
    }

    private static boolean isWanted(Pool<Connection> pool) {
        return pool.getNumWaiters() > 0 && pool.getNumIdle() + pool.getNumActive() < pool.getMaxTotal();
    }

    /**
     * Checks once more at the end: a caller that came after the last check did not start a thread, because this one was still
     * there.
     */
    private void connectForWaiters() {
        boolean connected = false;
        try {
            for (Pool<Connection> pool : List.copyOf(pools.get())) {
                while (isWanted(pool)) {
                    pool.addObjects(1);
                }
            }
            connected = true;
        } catch (RuntimeException e) {
            log.debug("Could not open a connection for waiting calls", e);
        } finally {
            refilling.set(false);
        }
        if (connected) {
            refill();
        }
    }
}
