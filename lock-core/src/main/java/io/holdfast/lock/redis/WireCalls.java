package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.RedisFailures;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.redis.driver.Wire.Acks;
import io.holdfast.lock.redis.driver.Wire.Answers;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends scripts over a {@link Wire}, and does for them what {@link ScriptRunner} does for one: a script that the server
 * does not know is sent by its text, and calls on a broken connection are sent again.
 *
 * <p>Where the server says that a key has moved, the call is repeated by way of the driver, which follows, and learns
 * where the key is.
 */
final class WireCalls {

    private static final int MOST_MOVES = 5;

    private final Wire wire;
    private final ScriptRunner runner;
    private final boolean cluster;

    /** @param cluster whether there are several servers, among which the driver finds the right one */
    WireCalls(Wire wire, ScriptRunner runner, boolean cluster) {
        this.wire = wire;
        this.runner = runner;
        this.cluster = cluster;
    }

    /**
     * Calls to one server.
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
                throw failure == null ? new IllegalStateException("Neither an answer nor a failure") : failure;
            }
            return text;
        }
    }

    /** Sends one call at once; what goes wrong shows when its answer is waited for. */
    Supplier<ScriptRunner.Reply> begin(ScriptCall call) {
        return begin(call, System.nanoTime());
    }

    private Supplier<ScriptRunner.Reply> begin(ScriptCall call, long start) {
        Wire.Sent sent;
        try {
            sent = wire.send(List.of(call), Acks.NONE, start);
        } catch (RuntimeException e) {
            return () -> again(call, start, e);
        }
        return () -> await(call, start, sent);
    }

    private ScriptRunner.Reply await(ScriptCall call, long start, Wire.Sent sent) {
        Object reply;
        try {
            reply = sent.await().replies().get(0);
        } catch (RuntimeException e) {
            return again(call, start, e);
        }
        if (reply instanceof RuntimeException e) {
            return again(call, start, e);
        }
        if (RedisFailures.isOfReplica(call, reply)) {
            runner.noticeReplica();
        }
        return new ScriptRunner.Reply(ScriptRunner.text(call.script(), reply), true);
    }

    /**
     * A script that the server does not know is sent by its text, and what met a broken connection is sent again. What belongs
     * to another node of a cluster is sent by way of the driver, which may repeat a call without saying so.
     */
    private ScriptRunner.Reply again(ScriptCall call, long start, RuntimeException e) {
        if (RedisFailures.isNoScript(e) && !call.byText()) {
            return begin(byText(call), start).get();
        }
        if (isElsewhere(e)) {
            return new ScriptRunner.Reply(runner.run(call).text(), false);
        }
        ScriptRunner.Sent<String> second = runner.resending(() -> sendOnce(call, start), start, e);
        return new ScriptRunner.Reply(second.result(), false);
    }

    private String sendOnce(ScriptCall call, long start) {
        if (cluster) {
            return runner.run(call).text();
        }
        Object reply = sendKnown(List.of(call), Acks.NONE, start).replies().get(0);
        if (reply instanceof RuntimeException e) {
            throw e;
        }
        return ScriptRunner.text(call.script(), reply);
    }

    /** Another node has the key, or has taken the place of one that is gone: nothing was done yet. */
    private boolean isElsewhere(RuntimeException e) {
        return cluster && (RedisFailures.isMoved(e) || RedisFailures.isUnreachable(e));
    }

    Results send(List<ScriptCall> calls, Acks acks) {
        long start = System.nanoTime();
        ScriptRunner.Sent<Answers> sent = runner.resending(() -> sendKnown(calls, acks, start), start, null);
        List<Result> results = new ArrayList<>(calls.size());
        boolean moved = false;
        for (int i = 0; i < calls.size(); i++) {
            Object reply = sent.result().replies().get(i);
            moved |= reply instanceof RuntimeException e && RedisFailures.isMoved(e);
            Result result = result(calls.get(i), reply);
            results.add(result);
            if (RedisFailures.isOfReplica(calls.get(i), reply)) {
                runner.noticeReplica();
            }
        }
        if (!moved) {
            return new Results(results, sent.result().replicas(), sent.firstSend(), false);
        }
        return new Results(follow(calls, results), sent.result().replicas(), false, true);
    }

    /** As {@link #send} of one call, again after it has moved: only the replicas of the right server count. */
    Results sendUntilCounted(ScriptCall call, Acks acks) {
        Results results = send(List.of(call), acks);
        for (int move = 1; results.moved() && move < MOST_MOVES; move++) {
            results = sendAfterMove(call, acks);
        }
        return results;
    }

    /** What the other server did with it is not forgotten. */
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

    private Answers sendKnown(List<ScriptCall> calls, Acks acks, long start) {
        Answers answers = wire.send(calls, acks, start).await();
        boolean unknown = answers.replies().stream()
                .anyMatch(reply -> reply instanceof RuntimeException e && RedisFailures.isNoScript(e));
        if (!unknown) {
            return answers;
        }
        return wire.send(calls.stream().map(WireCalls::byText).toList(), acks, start)
                .await();
    }

    private static ScriptCall byText(ScriptCall call) {
        return new ScriptCall(call.script(), call.keys(), call.keysAndArgs(), true);
    }

    private Result result(ScriptCall call, Object reply) {
        try {
            if (reply instanceof RuntimeException e) {
                return new Result(null, runner.translate(e), false);
            }
            return new Result(ScriptRunner.text(call.script(), reply), null, false);
        } catch (LockStoreException e) {
            return new Result(null, e, false);
        }
    }

    /** One by one, until a server does not answer: it would not answer the others either. */
    private List<Result> follow(List<ScriptCall> calls, List<Result> results) {
        List<Result> followed = new ArrayList<>(results);
        for (int i = 0; i < calls.size(); i++) {
            LockStoreException failure = results.get(i).failure();
            if (failure == null || !RedisFailures.isMoved(failure)) {
                continue;
            }
            ScriptCall call = calls.get(i);
            try {
                ScriptRunner.Reply reply = runner.run(call);
                followed.set(i, new Result(reply.text(), null, true));
            } catch (LockStoreException e) {
                followed.set(i, new Result(null, e, true));
                if (RedisFailures.isNoAnswer(e)) {
                    return followed;
                }
            }
        }
        return followed;
    }
}
