package io.holdfast.lock.redis.driver.lettuce;

import io.holdfast.lock.redis.driver.RedisFailures;
import io.holdfast.lock.redis.driver.Wire;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisSystemException;

/**
 * On the one connection to the server that has the key. Others use it as well; their commands stand in between.
 *
 * <p>If there is no connection yet, the calls go out when there is one, unless their caller has given up by then: whichever
 * comes first settles that. So nothing is sent for a caller who has gone.
 */
final class LettuceWire implements Wire {

    private final Function<byte[], CompletableFuture<StatefulRedisConnection<byte[], byte[]>>> nodes;
    private final Consumer<StatefulRedisConnection<byte[], byte[]>> unusable;
    private final long timeoutNanos;

    /**
     * @param nodes finds the connection to the server that has a key, or begins to make it
     * @param unusable is notified of a connection on which a command was not answered in time, or only in the way a replica
     *     answers
     * @param timeout for the connection and the answer together
     */
    LettuceWire(
            Function<byte[], CompletableFuture<StatefulRedisConnection<byte[], byte[]>>> nodes,
            Consumer<StatefulRedisConnection<byte[], byte[]>> unusable,
            Duration timeout) {
        this.nodes = nodes;
        this.unusable = unusable;
        this.timeoutNanos = timeout.toNanos();
    }

    @Override
    public Sent send(List<ScriptCall> calls, Acks acks, long start) {
        var node = nodes.apply(calls.get(0).firstKey());
        long deadline = start + timeoutNanos;
        return node.isDone()
                ? send(await(node, 0), calls, acks, deadline)
                : new Early(node, connection -> send(connection, calls, acks, deadline), deadline);
    }

    private Sent send(
            StatefulRedisConnection<byte[], byte[]> connection, List<ScriptCall> calls, Acks acks, long deadline) {
        var node = connection.async();
        List<RedisFuture<byte[]>> replies =
                calls.stream().map(call -> send(node, call)).toList();
        if (!acks.wanted()) {
            return () -> new Answers(await(connection, calls, replies, deadline), 0);
        }
        RedisFuture<Long> replicas =
                node.waitForReplication(acks.number(), acks.timeout().toMillis());
        return () -> new Answers(await(connection, calls, replies, deadline), await(connection, replicas, deadline));
    }

    /** Calls that wait for their connection. */
    private static final class Early implements Sent {

        private final AtomicBoolean settled = new AtomicBoolean();
        private final CompletableFuture<Sent> sent;
        private final long deadline;

        Early(
                CompletableFuture<StatefulRedisConnection<byte[], byte[]>> node,
                Function<StatefulRedisConnection<byte[], byte[]>, Sent> send,
                long deadline) {
            this.deadline = deadline;
            this.sent = node.thenApply(connection -> {
                if (!settled.compareAndSet(false, true)) {
                    throw new CancellationException("The reply is no longer awaited");
                }
                return send.apply(connection);
            });
        }

        @Override
        public Answers await() {
            Sent there;
            try {
                there = LettuceWire.await(sent, deadline - System.nanoTime());
            } catch (RuntimeException e) {
                settled.set(true);
                throw e;
            }
            return there.await();
        }
    }

    private static RedisFuture<byte[]> send(RedisClusterAsyncCommands<byte[], byte[]> node, ScriptCall call) {
        byte[][] keys = Arrays.copyOf(call.keysAndArgs(), call.keys());
        byte[][] arguments = Arrays.copyOfRange(call.keysAndArgs(), call.keys(), call.keysAndArgs().length);
        return call.byText()
                ? node.eval(call.script().text(), ScriptOutputType.VALUE, keys, arguments)
                : node.evalsha(
                        new String(call.script().sha(), StandardCharsets.US_ASCII),
                        ScriptOutputType.VALUE,
                        keys,
                        arguments);
    }

    private List<Object> await(
            StatefulRedisConnection<byte[], byte[]> connection,
            List<ScriptCall> calls,
            List<RedisFuture<byte[]>> futures,
            long deadline) {
        List<Object> replies = new ArrayList<>(futures.size());
        for (RedisFuture<byte[]> future : futures) {
            Object reply = replyOf(connection, future, deadline);
            if (RedisFailures.isOfReplica(calls.get(replies.size()), reply)) {
                unusable.accept(connection);
            }
            replies.add(reply);
        }
        return replies;
    }

    private Object replyOf(
            StatefulRedisConnection<byte[], byte[]> connection, RedisFuture<byte[]> future, long deadline) {
        try {
            return await(connection, future, deadline);
        } catch (RedisCommandExecutionException e) {
            return e;
        }
    }

    private <T> T await(StatefulRedisConnection<byte[], byte[]> connection, Future<T> answer, long deadline) {
        try {
            return await(answer, deadline - System.nanoTime());
        } catch (QueryTimeoutException e) {
            unusable.accept(connection);
            throw e;
        }
    }

    /** What comes of it, within that time, as Spring Data or the driver throws it. */
    static <T> T await(Future<T> future, long nanos) {
        try {
            return future.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof RedisCommandTimeoutException) {
                throw new QueryTimeoutException("Redis did not respond", cause);
            }
            throw cause instanceof RuntimeException known ? known : new RedisSystemException("Redis failed", cause);
        } catch (TimeoutException e) {
            throw new QueryTimeoutException("Redis did not respond", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RedisSystemException("Interrupted while waiting for Redis", e);
        }
    }
}
