package io.holdfast.lock.redis.driver.jedis;

import io.holdfast.lock.redis.driver.Wire;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;

/**
 * On a connection of the pool of the server that has the key.
 *
 * <p>Answers of scripts are waited for as long as the pool's connections say, which is a command timeout; that of a {@code WAIT}
 * for what is left of that, and for as long as the replicas may take.
 */
final class JedisWire implements Wire {

    private final Function<byte[], Connection> pools;
    private final JedisLender lender;
    private final long timeoutMillis;

    /** @param pools lends a connection to the server that has a key */
    JedisWire(Function<byte[], Connection> pools, JedisLender lender, Duration timeout) {
        this.pools = pools;
        this.lender = lender;
        this.timeoutMillis = timeout.toMillis();
    }

    @Override
    public Sent send(List<ScriptCall> calls, Acks acks, long start) {
        Connection connection = pools.apply(calls.get(0).firstKey());
        guarded(connection, () -> {
            write(connection, calls, acks);
            return connection;
        });
        return () -> finish(connection, calls, acks);
    }

    private Answers finish(Connection connection, List<ScriptCall> calls, Acks acks) {
        Answers answers = guarded(connection, () -> read(connection, calls.size(), acks));
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

    private Answers read(Connection connection, int calls, Acks acks) {
        List<Object> replies = connection.getMany(calls);
        if (!acks.wanted()) {
            return new Answers(replies, 0);
        }
        connection.setSoTimeout((int) (timeoutMillis + acks.timeout().toMillis()));
        Object acknowledged = connection.getMany(1).get(0);
        connection.setSoTimeout((int) timeoutMillis);
        if (acknowledged instanceof RuntimeException e) {
            throw e;
        }
        return new Answers(replies, (Long) acknowledged);
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
