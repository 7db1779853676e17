package io.holdfast.lock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisSystemException;

/** On the one connection to the server that has the key. Others use it as well; their commands stand in between. */
final class LettuceWire implements Wire {

    private final Function<byte[], RedisClusterAsyncCommands<byte[], byte[]>> nodes;
    private final Duration timeout;

    /**
     * @param nodes finds the connection to the server that has a key
     * @param timeout after which commands have ended by themselves
     */
    LettuceWire(Function<byte[], RedisClusterAsyncCommands<byte[], byte[]>> nodes, Duration timeout) {
        this.nodes = nodes;
        this.timeout = timeout;
    }

    @Override
    public Sent send(List<ScriptCall> calls, RedisLockSettings.ReplicaAcks acks) {
        var node = nodes.apply(calls.get(0).firstKey());
        List<RedisFuture<byte[]>> replies =
                calls.stream().map(call -> send(node, call)).toList();
        if (!acks.wanted()) {
            return () -> new Answers(await(replies), 0);
        }
        RedisFuture<Long> replicas =
                node.waitForReplication(acks.number(), acks.timeout().toMillis());
        return () -> new Answers(await(replies), get(replicas));
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

    private List<Object> await(List<RedisFuture<byte[]>> futures) {
        List<Object> replies = new ArrayList<>(futures.size());
        for (RedisFuture<byte[]> future : futures) {
            try {
                replies.add(get(future));
            } catch (RedisCommandExecutionException e) {
                replies.add(e);
            }
        }
        return replies;
    }

    private <T> T get(RedisFuture<T> future) {
        try {
            return future.get(2 * timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RedisCommandTimeoutException timeout) {
                throw new QueryTimeoutException("Redis did not answer", timeout);
            }
            throw e.getCause() instanceof RuntimeException cause
                    ? cause
                    : new RedisSystemException("Redis failed", e.getCause());
        } catch (TimeoutException e) {
            throw new QueryTimeoutException("Redis did not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RedisSystemException("Interrupted while Redis was asked", e);
        }
    }
}
