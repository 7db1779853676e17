package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.DriverConnections;
import io.holdfast.lock.redis.driver.RedisFailures;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.redis.driver.Wire.Acks;
import io.holdfast.lock.redis.driver.Wire.Answers;
import io.holdfast.lock.redis.driver.Wire.Script;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends scripts over one set of connections. All calls of a store go through here, over a {@link Wire}: the driver's own, which
 * takes a fifth less time than Spring Data, and even less on a cluster; or Spring Data's.
 *
 * <ul>
 *   <li><b>NOSCRIPT.</b> A script is sent by its digest, and again by its text if the server does not know it.
 *   <li><b>Broken connections.</b> A call on one is sent again, see {@link Resends}.
 *   <li><b>Redirections.</b> If a cluster node replies that a key has moved, the call is repeated through Spring Data, whose
 *     driver follows the redirection and learns where the key is.
 * </ul>
 *
 * <p>A single call that is {@linkplain #begin begun} or {@linkplain #run run} yields its reply, or an exception. Calls that are
 * {@linkplain #send sent} together fail individually.
 */
final class ScriptClient {

    private static final int MOST_MOVES = 5;

    private final DriverConnections connections;
    private final Wire wire;
    private final Wire following;
    private final Resends resends;
    private final FirstConnection first;

    /** @param listener is notified of what failures reveal about the servers */
    ScriptClient(DriverConnections connections, Duration commandTimeout, Resends.ServerListener listener) {
        this.connections = connections;
        this.wire = connections.wire();
        this.following = connections.followingWire();
        this.resends = new Resends(connections, commandTimeout, listener);
        this.first = new FirstConnection(connections);
    }

    /** An answer, and whether it is the answer to the first send. */
    record Reply(String text, boolean firstSend) {}

    /**
     * The answers to calls that were sent together.
     *
     * @param results for each call its answer, or why it failed
     * @param replicas how many replicas have acknowledged all that did not move; 0 if nobody asked
     * @param firstSend whether nothing was sent twice
     * @param moved whether some were carried out by another server, of whose replicas nothing is known
     */
    record Results(List<Result> results, long replicas, boolean firstSend, boolean moved) {}

    /**
     * An answer, or a failure.
     *
     * @param moved whether another server carried it out, of whose replicas nothing is known
     */
    record Result(@Nullable String text, @Nullable LockStoreException failure, boolean moved) {

        String reason() {
            return failure == null ? "" : String.valueOf(failure.getMessage());
        }

        String orThrow() {
            if (text == null) {
                throw failure == null
                        ? new IllegalStateException("The call has neither a reply nor a failure")
                        : failure;
            }
            return text;
        }
    }

    /** Whether locks are known to be spread over several servers. */
    boolean isCluster() {
        return connections.isCluster();
    }

    /**
     * Connects, if there was no connection yet. All calls do that; a caller that calls this before waits less.
     *
     * @param patience for how long to wait at most
     * @throws LockStoreException if there is no connection; nothing was sent
     */
    void connect(Duration patience) {
        first.await(patience);
    }

    /**
     * Has others connect as soon as this has: who finds the nodes of a cluster only when it has something to send would wait for those
     * that hang by then.
     */
    void connectNext(ScriptClient other) {
        first.then(other.first::begin);
    }

    private void connect() {
        first.await(FirstConnection.LIMIT);
    }

    /** Whether one server is known to have all locks. Connections that are the application's reveal this after the first call. */
    boolean isOneServer() {
        return connections.isOneServer();
    }

    /** The server of a cluster that has a key, as far as known; the same text for all keys if there is only one server. */
    String serverOf(byte[] key) {
        return isCluster() ? connections.serverOf(key) : "";
    }

    /** A slot of each master of a cluster; none if there is only one server. */
    List<Integer> slotOfEachMaster() {
        connect();
        try {
            return connections.slotOfEachMaster();
        } catch (RuntimeException e) {
            throw resends.failed(e);
        }
    }

    /** Whether calls are sent without waiting for answers, and replicas can be waited for. */
    boolean isPipelined() {
        return wire.isPipelined();
    }

    /** See {@link DriverConnections#evictionPolicies}. */
    Map<String, String> evictionPolicies() {
        connect();
        return connections.evictionPolicies();
    }

    /** Sends one call, and waits for its answer. */
    Reply run(ScriptCall call) {
        connect();
        return begin(call, System.nanoTime()).get();
    }

    /** Sends one call, immediately unless that would wait for the reply; failures are reported when the reply is awaited. */
    Supplier<Reply> begin(ScriptCall call) {
        if (!isPipelined()) {
            return () -> run(call);
        }
        try {
            connect();
        } catch (LockStoreException e) {
            return () -> {
                throw e;
            };
        }
        return begin(call, System.nanoTime());
    }

    private Supplier<Reply> begin(ScriptCall call, long start) {
        Wire.Sent sent;
        try {
            sent = wire.send(List.of(call), Acks.NONE, start);
        } catch (RuntimeException e) {
            return () -> again(call, start, e);
        }
        return () -> finish(call, start, sent);
    }

    private Reply finish(ScriptCall call, long start, Wire.Sent sent) {
        Object reply;
        try {
            reply = answer(sent.await());
        } catch (RuntimeException e) {
            return again(call, start, e);
        }
        return reply(call, reply);
    }

    /** The answer to a single call. Throws the error that it was answered with. */
    private static Object answer(Answers answers) {
        Object reply = answers.replies().get(0);
        if (reply instanceof RuntimeException e) {
            throw e;
        }
        return reply;
    }

    private Reply reply(ScriptCall call, Object answer) {
        noticeReplica(call, answer);
        return new Reply(text(call.script(), answer), true);
    }

    /** On a cluster the driver does the second send, and may repeat a call without reporting it. */
    private Reply again(ScriptCall call, long start, RuntimeException e) {
        if (RedisFailures.isNoScript(e) && !call.byText()) {
            return begin(byText(call), start).get();
        }
        if (isElsewhere(e)) {
            return new Reply(follow(call), false);
        }
        Wire next = isCluster() ? following : wire;
        return new Reply(
                resends.run(() -> sendOnce(next, call, start), start, e).result(), false);
    }

    /** Another node has the key, or has replaced one that is gone: nothing was done yet. */
    private boolean isElsewhere(RuntimeException e) {
        return isCluster() && (RedisFailures.isMoved(e) || RedisFailures.isUnreachable(e));
    }

    private String follow(ScriptCall call) {
        long start = System.nanoTime();
        return resends.run(() -> sendOnce(following, call, start), start, null).result();
    }

    private static String sendOnce(Wire over, ScriptCall call, long start) {
        return text(call.script(), answer(sendKnown(over, List.of(call), Acks.NONE, start)));
    }

    /** Sends calls to one server, all of them before the first answer is waited for. */
    Results send(List<ScriptCall> calls, Acks acks) {
        connect();
        long start = System.nanoTime();
        Resends.Sent<Answers> sent = resends.run(() -> sendKnown(wire, calls, acks, start), start, null);
        Answers answers = sent.result();
        List<Result> results = new ArrayList<>(calls.size());
        boolean moved = false;
        for (int i = 0; i < calls.size(); i++) {
            Object reply = answers.replies().get(i);
            moved |= reply instanceof RuntimeException e && RedisFailures.isMoved(e);
            noticeReplica(calls.get(i), reply);
            results.add(result(calls.get(i), reply));
        }
        return moved
                ? new Results(followMoved(calls, results), answers.replicas(), false, true)
                : new Results(results, answers.replicas(), sent.firstSend(), false);
    }

    /** As {@link #send} of one call, again after it has moved: only the replicas of the right server count. */
    Results sendUntilCounted(ScriptCall call, Acks acks) {
        Results results = send(List.of(call), acks);
        for (int move = 1; results.moved() && move < MOST_MOVES; move++) {
            results = sendAfterMove(call, acks);
        }
        return results;
    }

    /** Keeps what the other server did with it. */
    private Results sendAfterMove(ScriptCall call, Acks acks) {
        try {
            Results results = send(List.of(call), acks);
            Result result = results.results().get(0);
            LockStoreException failure = result.failure();
            Result honest = failure == null
                    ? result
                    : new Result(null, RedisFailures.ofUnknownOutcome(failure), result.moved());
            return new Results(List.of(honest), results.replicas(), false, results.moved());
        } catch (LockStoreException e) {
            throw RedisFailures.ofUnknownOutcome(e);
        }
    }

    private static Answers sendKnown(Wire over, List<ScriptCall> calls, Acks acks, long start) {
        Answers answers = over.send(calls, acks, start).await();
        boolean unknown = answers.replies().stream()
                .anyMatch(reply -> reply instanceof RuntimeException e && RedisFailures.isNoScript(e));
        if (!unknown) {
            return answers;
        }
        return over.send(calls.stream().map(ScriptClient::byText).toList(), acks, start)
                .await();
    }

    private static ScriptCall byText(ScriptCall call) {
        return new ScriptCall(call.script(), call.keys(), call.keysAndArgs(), true);
    }

    private Result result(ScriptCall call, Object reply) {
        try {
            if (reply instanceof RuntimeException e) {
                return new Result(null, resends.translate(e), false);
            }
            return new Result(text(call.script(), reply), null, false);
        } catch (LockStoreException e) {
            return new Result(null, e, false);
        }
    }

    /** One by one, until a server does not reply: it would not reply to the others either. */
    private List<Result> followMoved(List<ScriptCall> calls, List<Result> results) {
        List<Result> followed = new ArrayList<>(results);
        for (int i = 0; i < calls.size(); i++) {
            LockStoreException failure = results.get(i).failure();
            if (failure == null || !RedisFailures.isMoved(failure)) {
                continue;
            }
            try {
                followed.set(i, new Result(follow(calls.get(i)), null, true));
            } catch (LockStoreException e) {
                followed.set(i, new Result(null, e, true));
                if (RedisFailures.isNoAnswer(e)) {
                    return followed;
                }
            }
        }
        return followed;
    }

    private void noticeReplica(ScriptCall call, Object reply) {
        if (RedisFailures.isOfReplica(call, reply)) {
            resends.noticeReplica();
        }
    }

    private static String text(Script script, Object reply) {
        if (reply instanceof byte[] text) {
            return new String(text, StandardCharsets.UTF_8);
        }
        throw new LockStoreException(
                "Redis returned " + reply + " for the script " + script + " instead of a string. Check whether the"
                        + " connection is in a transaction (MULTI) or a pipeline.",
                null,
                true);
    }
}
