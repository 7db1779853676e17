package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Splits requests for many locks into several calls, each to one server, sends them one after the other, and merges the replies.
 * A call that fails affects only its own locks; if all fail, the first failure is thrown.
 *
 * <p>Each call to a server that hangs costs a command timeout, during which the caller gets no other replies. A single server is
 * not called again after a failure. In a cluster another node may reply, so the calls continue there, for a few timeouts in
 * total. They start at a random one, so that calls that are not sent this time may be sent the next time.
 */
final class BatchSplitter {

    private static final int TIMEOUTS = 3;

    private final BooleanSupplier isOneServer;
    private final long patienceNanos;
    private final Ticker ticker;

    /** @param isOneServer called each time, because with some drivers only a connection reveals it */
    BatchSplitter(BooleanSupplier isOneServer, Duration commandTimeout, Ticker ticker) {
        this.isOneServer = isOneServer;
        this.patienceNanos = commandTimeout.toNanos() * TIMEOUTS;
        this.ticker = ticker;
    }

    /**
     * Splits requests into calls.
     *
     * @param server returns the server that a request is for
     * @param weight the weight of a request
     * @param most the maximum weight of a call, unless a single request has more
     * @return the numbers of the requests of each call
     */
    static <Q> List<List<Integer>> cut(
            List<Q> requests, Function<Q, String> server, ToIntFunction<Q> weight, int most) {
        Map<String, Call> open = new HashMap<>();
        List<List<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            Q request = requests.get(i);
            int next = weight.applyAsInt(request);
            String at = server.apply(request);
            Call call = open.get(at);
            if (call == null || call.weight + next > most) {
                call = new Call();
                open.put(at, call);
                calls.add(call.requests);
            }
            call.requests.add(i);
            call.weight += next;
        }
        return calls;
    }

    private static final class Call {
        private final List<Integer> requests = new ArrayList<>();
        private int weight;
    }

    /**
     * Sends the calls.
     *
     * @param calls as {@link #cut} made them
     * @param send sends one, and gives an answer for each of its requests
     * @param failed the answer to a request that failed, and why
     * @return the answers, in the order of the requests
     */
    <Q, A> List<A> send(
            List<Q> requests, List<List<Integer>> calls, Function<List<Q>, List<A>> send, Function<String, A> failed) {
        boolean oneServer = isOneServer.getAsBoolean();
        List<@Nullable A> answers = new ArrayList<>(Collections.nCopies(requests.size(), null));
        int first =
                oneServer || calls.isEmpty() ? 0 : ThreadLocalRandom.current().nextInt(calls.size());
        long start = ticker.nanos();
        boolean answered = false;
        @Nullable LockStoreException failure = null;
        for (int n = 0; n < calls.size(); n++) {
            List<Integer> call = calls.get((first + n) % calls.size());
            try {
                if (failure == null || (!oneServer && ticker.nanos() - start < patienceNanos)) {
                    put(
                            answers,
                            call,
                            send.apply(call.stream().map(requests::get).toList()));
                    answered = true;
                } else {
                    put(answers, call, failed(call, failed, failure));
                }
            } catch (LockStoreException e) {
                failure = failure == null ? e : failure;
                put(answers, call, failed(call, failed, e));
            }
        }
        if (failure != null && !answered) {
            throw failure;
        }
        return answers.stream().map(Objects::requireNonNull).toList();
    }

    private static <A> void put(List<@Nullable A> answers, List<Integer> call, List<A> theirs) {
        for (int i = 0; i < call.size(); i++) {
            answers.set(call.get(i), theirs.get(i));
        }
    }

    private static <A> List<A> failed(List<Integer> call, Function<String, A> failed, LockStoreException failure) {
        return Collections.nCopies(call.size(), failed.apply(String.valueOf(failure.getMessage())));
    }
}
