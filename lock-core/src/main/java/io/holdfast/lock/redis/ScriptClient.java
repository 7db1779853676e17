package io.holdfast.lock.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.LuaScript;
import io.holdfast.lock.redis.driver.RedisFailures;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.redis.driver.Wire.Acks;
import io.holdfast.lock.redis.driver.Wire.Calls;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.store.ConnectionsInUseException;
import io.holdfast.lock.threads.DaemonThreads;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.core.RedisTemplate;

/**
 * Sends scripts over one set of connections. There is one way to send, for one call or for many: all go to one server, over one connection,
 * and each has a reply, or a reason why it failed. A failure that affects all of them is thrown. Calls for several nodes of a cluster are
 * sent to all nodes before the first reply is read ({@link #spread}). Every script may be sent twice, except a forced release: the second
 * one would end the hold of the next owner. It is sent again only if no server has carried it out.
 *
 * <ul>
 *   <li><b>NOSCRIPT.</b> A script is sent by its digest, and again by its text if the server does not know it, within the time that the
 *       call has left to obtain a connection.
 *   <li><b>Broken connections.</b> After a restart of Redis a pool is full of dead connections. Our own pool closes them after the first
 *       failed send; in a pool of the application, each fails one send. A failed send is repeated within the first quarter of its command
 *       timeout: immediately, as many times as such a pool may have dead connections, and then every 20 ms. A timeout is never repeated
 *       here: the caller's budget covers only one.
 *   <li><b>Redirections.</b> A cluster node that does not have the key has not carried out the call, which is then sent to the node named
 *       in the reply, within the first half of its command timeout. A node that refuses connections may have been replaced; then the call
 *       is sent again like one on a broken connection, every 20 ms. In both cases the driver locates the servers again.
 *   <li><b>Signs of another primary.</b> A server that hangs keeps its connections open, so drivers continue to use it, although another
 *       one may have replaced it long ago; and a replica replies just as a primary does. So after a call without a reply, or with a reply
 *       from a replica, the subscriptions are checked, and the driver locates the servers again: on a separate thread, because that calls
 *       servers, some of which may hang; one at a time, and {@value #PAUSE_MILLIS} ms after the last.
 * </ul>
 *
 * <p><b>The first connection</b> loads the driver and locates the servers, which on a slow processor takes longer than a command is allowed
 * to, however fast Redis is; so it begins before the time limit of the first command starts. There is one attempt at a time, on a separate
 * thread, so that no caller waits for longer than it wants to. A caller waits for the attempt that is under way, or begins one. If that
 * fails, all callers that wait for it fail, and the next call begins another; nothing was sent in either case. {@link #attempt} is guarded
 * by this object, and the caller that sets it starts its thread. {@link #connected} is set before the attempt completes, and never unset.
 */
final class ScriptClient {

    private static final Logger log = LoggerFactory.getLogger(ScriptClient.class);

    /**
     * How long a call waits for an attempt to connect; an acquisition waits only for one command timeout, and then checks its budget.
     */
    static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);

    private static final int SENDS_AT_ONCE = 20;
    private static final int RESEND_WITHIN = 4;
    private static final long RESEND_PAUSE_NANOS = 20_000_000;
    private static final int PAUSE_MILLIS = 500;
    private static final int MAX_REDIRECTIONS = 5;

    private final RedisTemplate<?, ?> door;
    private final Wire wire;
    private final boolean background;
    private final long timeoutNanos;
    private final Collection<WakeChannel> channels;
    private final AtomicLong unansweredAgain = new AtomicLong(System.nanoTime());
    /** When servers may be located again: after a redirection in a cluster, otherwise after a reply from a replica. */
    private final AtomicLong movedAgain = new AtomicLong(System.nanoTime());

    private final Runnable whenConnected;
    private volatile boolean connected;
    private volatile long attemptAt;
    private volatile @Nullable Throwable formerFailure;
    private @Nullable CompletableFuture<@Nullable Void> attempt;

    /**
     * Creates an instance, which does not connect yet.
     *
     * @param door all calls go through it
     * @param wire the servers that it leads to
     * @param background whether to use the connections that callers cannot exhaust
     * @param channels the subscriptions. A server that does not reply to calls may no longer send messages; a replica may not receive any
     * @param whenConnected runs after the first connection, on its thread; must not wait
     */
    ScriptClient(
            RedisTemplate<?, ?> door,
            Wire wire,
            boolean background,
            Duration commandTimeout,
            Collection<WakeChannel> channels,
            Runnable whenConnected) {
        this.door = door;
        this.wire = wire;
        this.background = background;
        this.timeoutNanos = commandTimeout.toNanos();
        this.channels = channels;
        this.whenConnected = whenConnected;
    }

    /**
     * The reply to a call, or why it failed.
     *
     * @param text null if it failed
     * @param resent whether it may have been sent twice
     * @param moved whether a server other than the expected one carried it out
     * @param replicas how many replicas have acknowledged it; 0 if acknowledgements were not requested
     * @param masked see {@link ScriptCall}
     */
    record Reply(
            @Nullable String text,
            @Nullable LockStoreException failure,
            boolean resent,
            boolean moved,
            long replicas,
            boolean masked) {

        String orThrow() {
            if (failure != null) {
                throw failure;
            }
            return Objects.requireNonNull(text);
        }

        /**
         * {@return the parsed reply} Text that cannot be parsed is not from a script. The message quotes only its first line, because
         * others may contain masked keys, and so may the parser's exception.
         */
        <T> T read(Function<String, T> parser) {
            String reply = orThrow();
            try {
                return parser.apply(reply);
            } catch (IllegalArgumentException | IndexOutOfBoundsException | NoSuchElementException e) {
                throw new LockStoreException(
                        "Redis returned an unexpected reply to a lock script: '"
                                + (masked ? "…" : LockKey.printable(reply.split("\n", 2)[0]))
                                + "'. Check whether there is a proxy between this client and Redis, and whether something"
                                + " else writes under the key prefix.",
                        masked ? null : e,
                        true);
            }
        }
    }

    /** Begins to connect if there has been no connection yet, and does not wait. */
    synchronized CompletableFuture<@Nullable Void> connect() {
        if (attempt == null || attempt.isCompletedExceptionally()) {
            attemptAt = System.nanoTime();
            attempt = CompletableFuture.runAsync(
                    () -> {
                        wire.open(background);
                        connected = true;
                        whenConnected.run();
                    },
                    work -> DaemonThreads.create(work, "holdfast-connect").start());
            var unused = attempt.whenComplete((done, failure) -> formerFailure = failure);
        }
        return attempt;
    }

    /**
     * Returns once there has been a connection.
     *
     * @param patience how long this caller waits for it
     * @throws LockStoreException if there is none; with {@link ConnectionsInUseException} as cause if the attempt may yet succeed
     */
    void connect(Duration patience) {
        if (connected) {
            return;
        }
        try {
            connect().get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof RuntimeException failed)) {
                throw new IllegalStateException("The first connection to " + wire.server() + " failed", e.getCause());
            }
            LockStoreException known = RedisFailures.translate(failed, wire.server(), false);
            throw new LockStoreException(String.valueOf(known.getMessage()), known.getCause(), false);
        } catch (TimeoutException e) {
            Duration taken = Duration.ofNanos(System.nanoTime() - attemptAt);
            throw new LockStoreException(
                    "No command was sent to " + wire.server() + ", because connecting for the first time has taken "
                            + taken.toMillis() + " ms so far. " + whatToCheck(taken),
                    taken.compareTo(CONNECT_LIMIT) < 0 ? new ConnectionsInUseException(e, true) : e,
                    false);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockStoreException("Interrupted while connecting to " + wire.server(), e, false);
        }
    }

    /** A server that is silent for a command timeout may be waiting for another protocol. */
    private String whatToCheck(Duration taken) {
        if (formerFailure instanceof RuntimeException former) {
            return "The previous attempt failed: "
                    + RedisFailures.translate(former, wire.server(), false).getMessage();
        }
        return "Check that this process gets enough CPU time (the CPU limit of its container), and that the server accepts"
                + " connections"
                + (taken.toNanos() < timeoutNanos ? "." : " and both sides agree on TLS.");
    }

    /** Sends one call, and waits for its reply. */
    Reply run(ScriptCall call) {
        return begin(List.of(call), Acks.NONE, CONNECT_LIMIT).get().get(0);
    }

    /**
     * Sends requests to one server. A single server gets them in one script. In a cluster each script has one key, because a script cannot
     * have keys in several slots, and fails for its own lock only; a node gets all its scripts together, over one connection.
     *
     * @param decoder reads the reply to some of the requests
     * @param failed the reply to a request whose own script failed
     */
    <Q, A> List<A> send(
            List<Q> requests,
            Acks acks,
            Function<List<Q>, ScriptCall> encoder,
            BiFunction<Reply, List<Q>, List<A>> decoder,
            Function<LockStoreException, A> failed) {
        boolean oneServer = wire.isOneServer();
        List<List<Q>> scripts =
                oneServer ? List.of(requests) : requests.stream().map(List::of).toList();
        List<Reply> replies = begin(scripts.stream().map(encoder).toList(), acks, CONNECT_LIMIT)
                .get();
        List<A> all = new ArrayList<>(requests.size());
        for (int i = 0; i < scripts.size(); i++) {
            LockStoreException failure = replies.get(i).failure();
            all.addAll(
                    failure == null || oneServer
                            ? decoder.apply(replies.get(i), scripts.get(i))
                            : List.of(failed.apply(failure)));
        }
        return all;
    }

    /**
     * Sends calls, each for one lock, to the nodes of a cluster: each node gets its calls together, and all have been sent before the first
     * reply is read. A node that does not reply fails only its own calls, and all nodes together have the time of one call, with all
     * redirections. Whatever goes wrong, even an {@link Error}, all replies are read before it is thrown, so every connection goes back.
     *
     * <p>A thread that waits for a connection to one node keeps those on which it has already sent calls. No threads wait for each other in
     * this way: all go through the nodes in the same order, and resend only when they have given all connections back. If slots move between
     * the sorting of the calls and their sending, the wait for a connection may be in vain; it ends after half a command timeout.
     *
     * <p>The replies are read in the same order, and each connection goes back once its replies are read. So if a node hangs, the
     * connections to the nodes after it are kept although their replies are in, for at most this one command timeout. To read in the order
     * of arrival, a thread would have to wait for several sockets at once: Java's blocking ones cannot, with TLS they do not tell whether
     * a reply is in, and a read that is broken off to look at another one may have taken a part of a reply.
     *
     * <p>Nodes that do not know a script all get the texts, in the same way, before a reply to these is read. So a second round is enough,
     * even if all nodes have forgotten all scripts.
     *
     * @param start when the command timeout began, by {@link System#nanoTime()}
     * @return a reply, or a failure, for each call
     */
    List<Reply> spread(List<ScriptCall> calls, long start) {
        connect(CONNECT_LIMIT);
        Map<String, List<ScriptCall>> byNode = calls.stream()
                .collect(groupingBy(call -> wire.serverOf(call.keysAndArgs()[0]), TreeMap::new, toList()));
        List<Calls> sent = byNode.values().stream()
                .map(theirs -> new Calls(theirs, false, Acks.NONE, start, null))
                .toList();
        List<Supplier<List<Object>>> first = readAll(sent.stream().map(this::sendNow));
        List<Boolean> unknown =
                first.stream().map(ScriptClient::isUnknownScript).toList();
        List<Supplier<List<Object>>> last = readAll(IntStream.range(0, sent.size())
                .mapToObj(i -> unknown.get(i) ? sendNow(sent.get(i).asText()) : first.get(i)));
        IdentityHashMap<ScriptCall, Reply> replies = new IdentityHashMap<>();
        for (int i = 0; i < sent.size(); i++) {
            boolean resent = unknown.get(i) && isCarriedOut(first.get(i).get());
            Deque<Reply> next = new ArrayDeque<>(orFailures(sent.get(i), last.get(i), 0, resent));
            sent.get(i).all().forEach(call -> replies.put(call, next.remove()));
        }
        return calls.stream().map(replies::get).map(Objects::requireNonNull).toList();
    }

    private static List<Supplier<List<Object>>> readAll(Stream<Supplier<List<Object>>> sends) {
        return sends.toList().stream() // all have been sent
                .map(each -> attempted(() -> {
                    List<Object> answers = each.get();
                    return () -> answers;
                }))
                .toList();
    }

    private static boolean isUnknownScript(Supplier<List<Object>> read) {
        try {
            return isUnknownScript(read.get());
        } catch (RuntimeException | Error e) {
            return false; // thrown later
        }
    }

    private List<Reply> orFailures(Calls calls, Supplier<List<Object>> first, int redirections, boolean resent) {
        try {
            return replies(calls, first, redirections, resent);
        } catch (LockStoreException e) {
            return Collections.nCopies(calls.all().size(), failed(e, resent));
        }
    }

    /**
     * Sends calls to the server that has the first key, immediately unless that would block. Failures are thrown when the
     * replies are awaited.
     *
     * @param patience the longest wait for the first connection
     */
    Supplier<List<Reply>> begin(List<ScriptCall> calls, Acks acks, Duration patience) {
        if (!connected) {
            var unused = connect();
            return () -> {
                connect(patience);
                return begin(calls, acks, patience).get();
            };
        }
        Calls sent = new Calls(calls, false, acks, System.nanoTime(), null);
        Supplier<List<Object>> answers = sendNow(sent);
        return () -> replies(
                wire.isPipelined() ? sent : new Calls(calls, false, acks, System.nanoTime(), null), answers, 0, false);
    }

    private Supplier<List<Object>> sendNow(Calls calls) {
        return attempted(() -> wire.send(door, background, calls));
    }

    /** The result of an attempt; it throws if the attempt failed, even with an error: first, the replies of other nodes are read. */
    private static <T> Supplier<T> attempted(Supplier<Supplier<T>> attempt) {
        try {
            return attempt.get();
        } catch (RuntimeException | Error e) {
            return () -> {
                throw e;
            };
        }
    }

    /**
     * Waits for the replies, and resends calls that may be sent twice. A failure has an unknown outcome if an earlier send may
     * have arrived, however the last one failed.
     *
     * @param redirections how many redirections led here
     * @param sentBefore whether a send before the first one may have arrived
     */
    private List<Reply> replies(Calls calls, Supplier<List<Object>> first, int redirections, boolean sentBefore) {
        boolean outcomeUnknown = sentBefore;
        Supplier<List<Object>> sent = first;
        for (int sends = 1; ; sends++) {
            try {
                List<Object> answers = sent.get();
                if (isUnknownScript(answers)) {
                    outcomeUnknown |= isCarriedOut(answers);
                    answers = sendNow(calls.asText()).get();
                }
                return replies(calls, answers, redirections, outcomeUnknown);
            } catch (RuntimeException e) {
                LockStoreException failure = failed(e, calls.all().stream().anyMatch(ScriptCall::masked));
                // If WAIT is rejected, the calls before it were carried out.
                outcomeUnknown |=
                        failure.outcomeUnknown() || (calls.acks().count() > 0 && RedisFailures.isServerError(e));
                boolean isReplaced = wire.isCluster() && RedisFailures.isUnreachable(e);
                boolean mayRepeat = calls.all().get(0).script() != LuaScript.FORCE_RELEASE;
                if (!(isReplaced || (mayRepeat && RedisFailures.isBrokenConnection(failure)))
                        || System.nanoTime() - calls.start() >= timeoutNanos / RESEND_WITHIN) {
                    throw outcomeUnknown ? RedisFailures.ofUnknownOutcome(failure) : failure;
                }
                if (isReplaced || sends >= SENDS_AT_ONCE) {
                    LockSupport.parkNanos(this, RESEND_PAUSE_NANOS);
                }
            }
            sent = sendNow(calls);
        }
    }

    private static boolean isUnknownScript(List<Object> answers) {
        for (Object reply : answers) {
            if (reply instanceof RuntimeException e && RedisFailures.isServerError(e, "NOSCRIPT")) {
                return true;
            }
        }
        return false;
    }

    /** If scripts were flushed in between, the server has carried out the first ones. */
    private static boolean isCarriedOut(List<Object> answers) {
        return answers.stream().anyMatch(byte[].class::isInstance);
    }

    /**
     * Calls whose keys have moved are sent one by one, all within the time of the first send, so they end together if a server hangs.
     *
     * @param resent whether an earlier send may have arrived
     */
    private List<Reply> replies(Calls calls, List<Object> answers, int redirections, boolean resent) {
        if (calls.areAnsweredByReplica(answers)) {
            locate(movedAgain, WakeChannel::reconnect);
        }
        int number = calls.all().size();
        long replicas = calls.acks().count() > 0 ? acknowledged(answers.get(number)) : 0;
        List<Reply> replies = new ArrayList<>(number);
        for (int i = 0; i < number; i++) {
            ScriptCall call = calls.all().get(i);
            Object answer = answers.get(i);
            if (answer instanceof byte[] text) {
                // data is any bytes, each of which becomes one character
                String decoded = new String(text, call.script() == LuaScript.DATA ? ISO_8859_1 : UTF_8);
                replies.add(new Reply(decoded, null, resent, redirections > 0, replicas, call.masked()));
            } else if (answer instanceof RuntimeException e
                    && wire.isCluster()
                    && RedisFailures.isServerError(e, "MOVED ", "ASK ")
                    && redirections < MAX_REDIRECTIONS) {
                locate(movedAgain, channel -> {});
                Calls alone = new Calls(List.of(call), false, calls.acks(), calls.start(), e);
                replies.addAll(orFailures(alone, sendNow(alone), redirections + 1, resent));
            } else {
                LockStoreException failure = failure(call, answer);
                replies.add(failed(resent ? RedisFailures.ofUnknownOutcome(failure) : failure, resent));
            }
        }
        return replies;
    }

    /** How many replicas have acknowledged the calls, by the reply to {@code WAIT}. */
    private static long acknowledged(Object reply) {
        if (reply instanceof RuntimeException e) {
            throw e;
        }
        return reply instanceof Long number ? number : 0;
    }

    private static Reply failed(LockStoreException failure, boolean resent) {
        return new Reply(null, failure, resent, false, 0, false);
    }

    private LockStoreException failure(ScriptCall call, Object answer) {
        return answer instanceof RuntimeException e
                ? RedisFailures.translate(e, wire.server(), call.masked())
                : new LockStoreException(
                        "Redis returned " + answer + " for the script " + call.script()
                                + " instead of a string. Check whether the connection is in a transaction (MULTI) or a"
                                + " pipeline.",
                        null,
                        true);
    }

    private LockStoreException failed(RuntimeException met, boolean masked) {
        LockStoreException failure = RedisFailures.translate(met, wire.server(), masked);
        if (RedisFailures.isReadOnly(met)) {
            locate(movedAgain, WakeChannel::reconnect);
        } else if (RedisFailures.isNoAnswer(failure) && !Thread.currentThread().isInterrupted()) {
            locate(unansweredAgain, WakeChannel::doubt);
        }
        return failure;
    }

    private void locate(AtomicLong notBefore, Consumer<WakeChannel> signal) {
        long now = System.nanoTime();
        long earliest = notBefore.get();
        if (now - earliest >= 0 && notBefore.compareAndSet(earliest, now + Long.MAX_VALUE / 2)) {
            Runnable work = () -> {
                try {
                    channels.forEach(signal);
                    wire.refreshTopology();
                } catch (RuntimeException e) {
                    log.debug("Failed to refresh the Redis topology", RedisFailures.translate(e, wire.server(), true));
                } finally {
                    notBefore.set(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
                }
            };
            DaemonThreads.create(work, "holdfast-topology").start();
        }
    }

    /** See {@link Wire#slotOfEachMaster}. */
    Map<String, Integer> slotOfEachMaster() {
        connect(CONNECT_LIMIT);
        try {
            return wire.slotOfEachMaster();
        } catch (RuntimeException e) {
            throw failed(e, false);
        }
    }
}
