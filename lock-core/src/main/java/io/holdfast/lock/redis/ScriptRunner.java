package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.DriverConnections;
import io.holdfast.lock.redis.driver.RedisFailures;
import io.holdfast.lock.redis.driver.Wire;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisTemplate;

/**
 * Sends scripts by their digest, and by their text where the server does not know the digest.
 *
 * <p>After a restart of Redis a pool is full of dead connections, each of which fails one command. Since every script
 * may be sent twice, a call on a broken connection is sent again, in the first quarter of its command timeout: at
 * once for as many times as there may be dead connections, and then every 20 ms. A timeout is never retried here: the
 * caller's budget pays for one of them only.
 *
 * <p>The template gets a connection factory that nobody else has: Spring binds connections to the factory's identity,
 * and on a connection that a user's transaction has bound, a script would be queued and answer null.
 */
final class ScriptRunner {

    private static final int SENDS_AT_ONCE = 20;
    private static final int RESEND_WITHIN = 4;
    private static final long PAUSE_NANOS = 20_000_000;

    /** Hears of what casts doubt on the server that a subscription is at. */
    interface Doubts {

        /** A call was not answered: the server may hang, or be gone. */
        void unanswered();

        /** A call was answered by a replica: another server is the primary now. */
        void replica();
    }

    /** An answer, and whether it is the answer to the first send. */
    record Reply(String text, boolean firstSend) {}

    /** What came of a call, and whether that was the first send. */
    record Sent<T>(T result, boolean firstSend) {}

    private final RedisTemplate<byte[], byte[]> template = new RedisTemplate<>();
    private final DriverConnections connections;
    private final TopologyRefresh unanswered;
    private final TopologyRefresh replica;
    private final long timeoutNanos;

    /** @param doubts is told when a call was not answered, or by a replica; not for each of them if there are many */
    ScriptRunner(DriverConnections connections, Duration commandTimeout, Doubts doubts) {
        this.connections = connections;
        template.setConnectionFactory(connections);
        template.afterPropertiesSet();
        this.unanswered = new TopologyRefresh(() -> {
            doubts.unanswered();
            connections.refreshTopology();
        });
        this.replica = new TopologyRefresh(() -> {
            doubts.replica();
            connections.refreshTopology();
        });
        this.timeoutNanos = commandTimeout.toNanos();
    }

    Reply run(Wire.ScriptCall call) {
        return run(call.script(), call.keys(), call.keysAndArgs());
    }

    Reply run(Wire.Script script, int keys, byte[][] keysAndArgs) {
        Sent<String> sent = resending(() -> send(script, keys, keysAndArgs), System.nanoTime(), null);
        return new Reply(sent.result(), sent.firstSend());
    }

    /**
     * Calls again what met a broken connection; it must be something that may be sent twice.
     *
     * @param start when it was sent, or will be, first, by {@link System#nanoTime()}
     * @param first how that failed; null if it has not been sent yet
     */
    <T> Sent<T> resending(Supplier<T> call, long start, @Nullable RuntimeException first) {
        RuntimeException failed = first;
        boolean outcomeUnknown = false;
        for (int send = 1; ; send++) {
            if (failed == null) {
                try {
                    return new Sent<>(call.get(), send == 1);
                } catch (RuntimeException e) {
                    failed = e;
                }
            }
            LockStoreException failure = translate(failed);
            failed = null;
            notice(failure);
            outcomeUnknown |= failure.outcomeUnknown();
            boolean again = RedisFailures.isBrokenConnection(failure)
                    && System.nanoTime() - start < timeoutNanos / RESEND_WITHIN;
            if (!again) {
                throw outcomeUnknown ? RedisFailures.ofUnknownOutcome(failure) : failure;
            }
            if (send >= SENDS_AT_ONCE) {
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
        }
    }

    LockStoreException translate(RuntimeException failure) {
        return RedisFailures.translate(failure, connections::server);
    }

    private void notice(LockStoreException failure) {
        if (RedisFailures.isReadOnly(failure)) {
            noticeReplica();
        } else if (RedisFailures.isNoAnswer(failure) && !Thread.currentThread().isInterrupted()) {
            unanswered.request();
        }
    }

    /** A replica answered: another server has taken its place. */
    void noticeReplica() {
        replica.request();
    }

    private String send(Wire.Script script, int keys, byte[][] keysAndArgs) {
        @SuppressWarnings("NullAway") // drivers answer null in MULTI
        RedisCallback<@Nullable Object> callback = connection -> sendOn(connection, script, keys, keysAndArgs);
        return connections.inTime(() -> text(script, template.execute(callback, true)));
    }

    static String text(Wire.Script script, @Nullable Object reply) {
        if (reply instanceof byte[] text) {
            return new String(text, StandardCharsets.UTF_8);
        }
        throw new LockStoreException(
                "Redis answered " + reply + " to the script " + script + " instead of a text. Check whether the"
                        + " connection is in MULTI or pipelining.",
                null,
                true);
    }

    private static @Nullable Object sendOn(
            RedisConnection connection, Wire.Script script, int keys, byte[][] keysAndArgs) {
        var commands = connection.scriptingCommands();
        try {
            return commands.evalSha(script.sha(), ReturnType.VALUE, keys, keysAndArgs);
        } catch (RuntimeException e) {
            if (!RedisFailures.isNoScript(e)) {
                throw e;
            }
            return commands.eval(script.text(), ReturnType.VALUE, keys, keysAndArgs);
        }
    }
}
