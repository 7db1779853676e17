package io.holdfast.lock.redis.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisTemplate;

/**
 * Uses {@link RedisTemplate}, which supports every driver. Calls are sent one by one, each waits for its reply, and none can wait
 * for replicas. The driver follows redirections.
 *
 * <p>The template gets a connection factory that nobody else has: Spring binds connections to the factory's identity,
 * and on a connection that a user's transaction has bound, a script would be queued and answer null.
 */
final class SpringDataWire implements Wire {

    private final RedisTemplate<byte[], byte[]> template = new RedisTemplate<>();
    private final Function<Supplier<Object>, Object> inTime;

    /** @param inTime see {@link DriverConnections#inTime} */
    SpringDataWire(RedisConnectionFactory connections, Function<Supplier<Object>, Object> inTime) {
        this.inTime = inTime;
        template.setConnectionFactory(connections);
        template.afterPropertiesSet();
    }

    @Override
    public boolean isPipelined() {
        return false;
    }

    @Override
    public Sent send(List<ScriptCall> calls, Acks acks, long start) {
        if (acks.wanted()) {
            throw new UnsupportedOperationException("Spring Data cannot wait for replicas");
        }
        List<Object> replies = new ArrayList<>(calls.size());
        calls.forEach(call -> replies.add(replyTo(call)));
        return () -> new Answers(replies, 0);
    }

    private Object replyTo(ScriptCall call) {
        try {
            return inTime.apply(() -> execute(call));
        } catch (RuntimeException e) {
            if (RedisFailures.isServerError(e)) {
                return e;
            }
            throw e;
        }
    }

    /** Drivers return null only in MULTI. */
    private Object execute(ScriptCall call) {
        @SuppressWarnings("NullAway")
        RedisCallback<@Nullable Object> callback = connection -> execute(connection, call);
        return Objects.requireNonNullElse(template.execute(callback, true), "null");
    }

    private static @Nullable Object execute(RedisConnection connection, ScriptCall call) {
        var commands = connection.scriptingCommands();
        return call.byText()
                ? commands.eval(call.script().text(), ReturnType.VALUE, call.keys(), call.keysAndArgs())
                : commands.evalSha(call.script().sha(), ReturnType.VALUE, call.keys(), call.keysAndArgs());
    }
}
