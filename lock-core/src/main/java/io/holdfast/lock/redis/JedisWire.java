package io.holdfast.lock.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;

/** On a connection of the pool of the server that has the key. */
final class JedisWire implements Wire {

    private final Function<byte[], Connection> pools;

    /** @param pools lends a connection to the server that has a key */
    JedisWire(Function<byte[], Connection> pools) {
        this.pools = pools;
    }

    @Override
    public Sent send(List<ScriptCall> calls, RedisLockSettings.ReplicaAcks acks) {
        Connection connection = pools.apply(calls.get(0).firstKey());
        int expected = calls.size() + (acks.wanted() ? 1 : 0);
        boolean sent = false;
        try {
            calls.forEach(call -> connection.sendCommand(command(call)));
            if (acks.wanted()) {
                connection.sendCommand(
                        Protocol.Command.WAIT,
                        text(acks.number()),
                        text(acks.timeout().toMillis()));
            }
            flush(connection);
            sent = true;
        } finally {
            if (!sent) {
                connection.close();
            }
        }
        return () -> read(connection, calls.size(), expected);
    }

    /** Flushes as the first step of reading; there is no other way in. */
    private static void flush(Connection connection) {
        connection.getMany(0);
    }

    private static Answers read(Connection connection, int calls, int expected) {
        List<Object> replies;
        try (connection) {
            replies = connection.getMany(expected);
        }
        if (calls == expected) {
            return new Answers(replies, 0);
        }
        Object acknowledged = replies.get(calls);
        if (acknowledged instanceof RuntimeException e) {
            throw e;
        }
        return new Answers(replies.subList(0, calls), (Long) acknowledged);
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
