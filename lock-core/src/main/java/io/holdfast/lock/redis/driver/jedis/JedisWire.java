package io.holdfast.lock.redis.driver.jedis;

import io.holdfast.lock.redis.driver.Wire;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;

/**
 * On a connection of the pool of the server that has the key.
 *
 * <p>Waiting for a connection and for the replies takes one command timeout in total: what the pool took is missing in the end, but
 * the pool gives up after half of it, see {@link JedisOwnClient}, so the replies have the other half at least. The reply of a
 * {@code WAIT} has as long as the replicas may take in addition.
 */
final class JedisWire implements Wire {

    private final Function<byte[], Connection> pools;
    private final JedisLender lender;
    private final long timeoutNanos;

    /** @param pools lends a connection to the server that has a key */
    JedisWire(Function<byte[], Connection> pools, JedisLender lender, Duration timeout) {
        this.pools = pools;
        this.lender = lender;
        this.timeoutNanos = timeout.toNanos();
    }

    @Override
    public Sent send(List<ScriptCall> calls, Acks acks, long start) {
        Connection connection = pools.apply(calls.get(0).firstKey());
        guarded(connection, () -> {
            write(connection, calls, acks);
            return connection;
        });
        long left = Math.max(timeoutNanos - (System.nanoTime() - start), timeoutNanos / 2);
        return () -> finish(connection, calls, acks, left);
    }

    private Answers finish(Connection connection, List<ScriptCall> calls, Acks acks, long nanos) {
        Answers answers = guarded(connection, () -> read(connection, calls.size(), acks, nanos));
        lender.giveBack(connection, calls, answers.replies());
        return answers;
    }

    private static void write(Connection connection, List<ScriptCall> calls, Acks acks) {
        calls.forEach(call -> connection.sendCommand(command(call)));
        if (acks.wanted()) {
            connection.sendCommand(
                    Protocol.Command.WAIT,
                    text(acks.number()),
                    text(acks.timeout().toMillis()));
        }
        flush(connection);
    }

    /** Flushes as the first step of reading; there is no other way in. */
    private static void flush(Connection connection) {
        connection.getMany(0);
    }

    private <T> T guarded(Connection connection, Supplier<T> step) {
        try {
            return step.get();
        } catch (RuntimeException e) {
            lender.giveBack(connection, e);
            throw e;
        }
    }

    /** Leaves the connection with its usual timeout. If this fails, the connection is not used again. */
    private Answers read(Connection connection, int calls, Acks acks, long nanos) {
        setTimeout(connection, nanos);
        List<Object> replies = connection.getMany(calls);
        Object acknowledged = 0L;
        if (acks.wanted()) {
            setTimeout(connection, nanos + acks.timeout().toNanos());
            acknowledged = connection.getMany(1).get(0);
        }
        setTimeout(connection, timeoutNanos);
        if (acknowledged instanceof RuntimeException e) {
            throw e;
        }
        return new Answers(replies, (Long) acknowledged);
    }

    private static void setTimeout(Connection connection, long nanos) {
        connection.setSoTimeout((int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }

    private static CommandArguments command(ScriptCall call) {
        CommandArguments command =
                new CommandArguments(call.byText() ? Protocol.Command.EVAL : Protocol.Command.EVALSHA);
        command.add(call.scriptOrDigest()).add(text(call.keys()));
        for (byte[] each : call.keysAndArgs()) {
            command.add(each);
        }
        return command;
    }

    private static byte[] text(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }
}
