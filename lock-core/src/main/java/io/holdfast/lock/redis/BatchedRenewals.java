package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/**
 * Renews leases, and keeps entries, of many locks at once. A single server gets them in one script. In a cluster each script has
 * one key, because a script cannot have keys of several slots; a node gets all its scripts together, over one connection.
 */
final class BatchedRenewals {

    /** Leases, or entries, in one call. At about 3 µs each, Redis is blocked for less than 2 ms. */
    private static final int MOST_PER_CALL = 600;

    private final ScriptClient client;
    private final ScriptEncoder encoder;
    private final Function<LockKey, String> servers;
    private final Acknowledgements acks;
    private final BatchSplitter splitter;

    BatchedRenewals(
            ScriptClient client,
            ScriptEncoder encoder,
            Function<LockKey, String> servers,
            Acknowledgements acks,
            BatchSplitter splitter) {
        this.client = client;
        this.encoder = encoder;
        this.servers = servers;
        this.acks = acks;
        this.splitter = splitter;
    }

    List<RenewReply> renew(List<RenewRequest> requests) {
        return splitter.send(
                requests,
                BatchSplitter.cut(requests, request -> part(request.key()), request -> 1, MOST_PER_CALL),
                call -> renewTogether(client, call),
                RenewReply.Failed::new);
    }

    /** Over the connections of another client. */
    RenewReply extend(ScriptClient over, RenewRequest request) {
        return renewTogether(over, List.of(request)).get(0);
    }

    private List<RenewReply> renewTogether(ScriptClient over, List<RenewRequest> requests) {
        boolean oneByOne = !over.isOneServer();
        List<List<RenewRequest>> scripts = scripts(requests, oneByOne);
        ScriptClient.Results sent =
                over.send(scripts.stream().map(encoder::renew).toList(), acks.acks());
        List<RenewReply> replies = new ArrayList<>(requests.size());
        for (int i = 0; i < scripts.size(); i++) {
            ScriptClient.Result result = sent.results().get(i);
            replies.addAll(
                    acks.check(renewed(result, scripts.get(i).size(), oneByOne), result.moved() ? 0 : sent.replicas()));
        }
        return replies;
    }

    /**
     * The locks of one part, those of a server, are in one call and fail together. While the server is unknown, each lock is a
     * part of its own, to limit the effect of a node that does not reply on the locks of other nodes.
     */
    private String part(LockKey key) {
        String server = servers.apply(key);
        return server.isEmpty() && !client.isOneServer() ? key.toString() : server;
    }

    /** The requests of each script. */
    private static <Q> List<List<Q>> scripts(List<Q> requests, boolean oneByOne) {
        return oneByOne ? requests.stream().map(List::of).toList() : List.of(requests);
    }

    private List<RenewReply> renewed(ScriptClient.Result result, int count, boolean oneByOne) {
        return isFailureOfSome(result, oneByOne)
                ? Collections.nCopies(count, new RenewReply.Failed(result.reason()))
                : ScriptDecoder.renew(result.orThrow(), count);
    }

    /**
     * If the only script fails, the call fails; one of several, or one before acknowledgements are requested, fails only for its
     * own locks.
     */
    private boolean isFailureOfSome(ScriptClient.Result result, boolean oneByOne) {
        return result.failure() != null && (oneByOne || acks.wanted());
    }

    List<EntryReply> keepEntries(List<EntryRequest> requests) {
        List<EntryRequest> pieces = EntryPieces.cut(requests, MOST_PER_CALL);
        List<EntryReply> replies = splitter.send(
                pieces,
                BatchSplitter.cut(pieces, piece -> part(piece.key()), BatchedRenewals::weight, MOST_PER_CALL),
                this::keepTogether,
                EntryReply.Failed::new);
        return EntryPieces.join(requests, replies, MOST_PER_CALL);
    }

    private static int weight(EntryRequest piece) {
        return Math.max(1, piece.owners().size());
    }

    private List<EntryReply> keepTogether(List<EntryRequest> requests) {
        boolean oneByOne = !client.isOneServer();
        List<List<EntryRequest>> scripts = scripts(requests, oneByOne);
        List<ScriptClient.Result> results = client.send(
                        scripts.stream().map(encoder::keepEntries).toList(), Wire.Acks.NONE)
                .results();
        List<EntryReply> replies = new ArrayList<>(requests.size());
        for (int i = 0; i < scripts.size(); i++) {
            replies.addAll(kept(results.get(i), scripts.get(i), oneByOne));
        }
        return replies;
    }

    private static List<EntryReply> kept(ScriptClient.Result result, List<EntryRequest> requests, boolean oneByOne) {
        return oneByOne && result.failure() != null
                ? Collections.nCopies(requests.size(), new EntryReply.Failed(result.reason()))
                : ScriptDecoder.entries(result.orThrow(), requests);
    }
}
