package io.holdfast.lock.redis.driver.jedis;

import io.holdfast.lock.redis.driver.RedisFailures;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.redis.driver.jedis.UnreadAnswers.Unread;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
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
    private final UnreadAnswers unread;
    private final long timeoutMillis;

    /**
     * @param pools lends a connection to the server that has a key
     * @param unread of calls that nobody waits for
     */
    JedisWire(Function<byte[], Connection> pools, JedisLender lender, UnreadAnswers unread, Duration timeout) {
        this.pools = pools;
        this.lender = lender;
        this.unread = unread;
        this.timeoutMillis = timeout.toMillis();
    }

    @Override
    public Sent send(List<ScriptCall> calls, Acks acks, long start) {
        unread.settle(calls);
        Connection connection = pools.apply(calls.get(0).firstKey());
        guarded(connection, () -> write(connection, calls, acks));
        return () -> finish(connection, calls, acks);
    }

    private Answers finish(Connection connection, List<ScriptCall> calls, Acks acks) {
        Answers answers = guarded(connection, () -> read(connection, calls.size(), acks));
        lender.giveBack(connection, calls, answers.replies());
        return answers;
    }

    @Override
    public Answers call(List<ScriptCall> calls, Acks acks, long start) {
        Unread before = calls.size() > 1 || acks.wanted() ? null : unread.takeFor(calls.get(0));
        return before == null ? send(calls, acks, start).await() : callBehind(before, calls);
    }

    /** On the connection of a call that nobody waits for: its answer is the first one. */
    private Answers callBehind(Unread before, List<ScriptCall> calls) {
        Connection connection = before.connection();
        Object first;
        try {
            first = guarded(
                    connection,
                    () -> write(connection, calls, Acks.NONE).getMany(1).get(0));
        } catch (RuntimeException | Error e) {
            before.fail(e);
            throw e;
        }
        try {
            return finish(connection, calls, Acks.NONE);
        } finally {
            before.tell(first);
        }
    }

    @Override
    public boolean sendUnawaited(ScriptCall call, Consumer<Sent> answered) {
        if (!unread.hasRoomFor(call)) {
            return false;
        }
        Connection connection;
        try {
            connection = pools.apply(call.firstKey());
        } catch (RuntimeException e) {
            RedisFailures.restoreInterrupt(e);
            return false; // nothing was sent; who sends it and waits learns why
        }
        Unread expected = unread.expect(call, connection, answered);
        if (expected == null) {
            lender.giveBack(connection);
            return false;
        }
        try {
            guarded(connection, () -> write(connection, List.of(call), Acks.NONE));
        } catch (RuntimeException | Error e) {
            expected.fail(e);
            return true;
        }
        unread.add(expected);
        return true;
    }

    private static Connection write(Connection connection, List<ScriptCall> calls, Acks acks) {
        calls.forEach(call -> connection.sendCommand(command(call)));
        if (acks.wanted()) {
            connection.sendCommand(
                    Protocol.Command.WAIT,
                    text(acks.number()),
                    text(acks.timeout().toMillis()));
        }
        flush(connection);
        return connection;
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
