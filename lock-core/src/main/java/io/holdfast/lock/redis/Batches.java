package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Splits requests for many locks into several calls, each to one server, sends them one after another, and merges the replies. A call that
 * fails affects only its own locks; if all fail, the first failure is thrown.
 *
 * <p>Each call to a server that hangs costs a command timeout, during which the caller gets no other replies. A single server is not called
 * again after a failure. In a cluster another node may reply, so the calls continue there, for a few timeouts in total. They start with a
 * random one, so that calls that are not sent this time may be sent the next time.
 *
 * @param isOneServer called each time, because with some drivers only a connection reveals it
 * @param max the maximum weight of a call, unless a single request has more
 */
record Batches(BooleanSupplier isOneServer, int max, Duration commandTimeout, Ticker ticker) {

    private static final int TIMEOUTS = 3;

    /**
     * Sends requests.
     *
     * @param requests different objects
     * @param server returns the server that a request is for
     * @param weight the weight of a request
     * @param send sends a call, and returns a reply for each of its requests
     * @param failed the reply to a request that failed
     * @return the replies, in the order of the requests
     */
    <Q, A> List<A> send(
            List<Q> requests,
            Function<Q, String> server,
            ToIntFunction<Q> weight,
            Function<List<Q>, List<A>> send,
            Function<LockStoreException, A> failed) {
        boolean oneServer = isOneServer.getAsBoolean();
        List<List<Q>> calls = split(requests, server, weight);
        if (!oneServer) {
            Collections.rotate(calls, ThreadLocalRandom.current().nextInt(calls.size() + 1));
        }
        IdentityHashMap<Q, A> replies = new IdentityHashMap<>();
        List<LockStoreException> failures = new ArrayList<>();
        long start = ticker.nanos();
        for (List<Q> call : calls) {
            List<A> theirs;
            try {
                if (!failures.isEmpty()
                        && (oneServer || ticker.nanos() - start >= commandTimeout.toNanos() * TIMEOUTS)) {
                    throw failures.get(0);
                }
                theirs = send.apply(call);
            } catch (LockStoreException e) {
                failures.add(e);
                theirs = Collections.nCopies(call.size(), failed.apply(e));
            }
            for (int i = 0; i < call.size(); i++) {
                replies.put(call.get(i), theirs.get(i));
            }
        }
        if (!calls.isEmpty() && failures.size() == calls.size()) {
            throw failures.get(0);
        }
        return requests.stream().map(replies::get).map(Objects::requireNonNull).toList();
    }

    /** The requests of each call. */
    private <Q> List<List<Q>> split(List<Q> requests, Function<Q, String> server, ToIntFunction<Q> weight) {
        Map<String, List<Q>> open = new HashMap<>();
        Map<String, Integer> weights = new HashMap<>();
        List<List<Q>> calls = new ArrayList<>();
        for (Q request : requests) {
            String at = server.apply(request);
            int next = weight.applyAsInt(request);
            List<Q> call = open.get(at);
            if (call == null || weights.merge(at, next, Integer::sum) > max) {
                call = new ArrayList<>();
                open.put(at, call);
                calls.add(call);
                weights.put(at, next);
            }
            call.add(request);
        }
        return calls;
    }
}
