package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Renews leases, and keeps entries, of many locks at once. One server gets them in one script. In a cluster a script has one
 * key, since keys of several slots cannot be in the same one; a node gets all its scripts at once, over one connection.
 */
final class BatchCalls {

    /** Leases, or entries, in one call. At some 3 µs each, Redis serves nobody else for less than 2 ms. */
    private static final int MOST_PER_CALL = 500;

    private final Channel channel;
    private final ScriptCalls scripts;
    private final Function<LockKey, String> servers;
    private final Acknowledgements acks;
    private final SplitCalls splitCalls;
    private final boolean oneByOne;

    BatchCalls(
            Channel channel,
            ScriptCalls scripts,
            Function<LockKey, String> servers,
            Acknowledgements acks,
            SplitCalls splitCalls) {
        this.channel = channel;
        this.scripts = scripts;
        this.servers = servers;
        this.acks = acks;
        this.splitCalls = splitCalls;
        this.oneByOne = channel.isCluster();
    }

    List<RenewReply> renew(List<RenewRequest> requests) {
        return splitCalls.send(
                requests,
                SplitCalls.cut(requests, request -> servers.apply(request.key()), request -> 1, MOST_PER_CALL),
                call -> renewTogether(channel, call),
                RenewReply.Failed::new);
    }

    /** Over another channel. */
    RenewReply extend(Channel calls, RenewRequest request) {
        return renewTogether(calls, List.of(request)).get(0);
    }

    private List<RenewReply> renewTogether(Channel over, List<RenewRequest> requests) {
        WireCalls wire = over.wire();
        if (wire == null || !(oneByOne || acks.wanted())) {
            ScriptCall call = scripts.renew(requests);
            return Replies.renew(over.run(call).text(), requests.size());
        }
        List<List<RenewRequest>> parts =
                oneByOne ? requests.stream().map(List::of).toList() : List.of(requests);
        WireCalls.Results sent = wire.send(parts.stream().map(scripts::renew).toList(), acks.acks());
        List<RenewReply> replies = new ArrayList<>(requests.size());
        for (int i = 0; i < parts.size(); i++) {
            WireCalls.Result result = sent.results().get(i);
            replies.addAll(acks.check(renewed(result, parts.get(i).size()), result.moved() ? 0 : sent.replicas()));
        }
        return replies;
    }

    private static List<RenewReply> renewed(WireCalls.Result result, int count) {
        return result.failure() == null
                ? Replies.renew(result.orThrow(), count)
                : Collections.nCopies(count, new RenewReply.Failed(result.reason()));
    }

    List<EntryReply> keepEntries(List<EntryRequest> requests) {
        List<EntryRequest> pieces = EntryPieces.cut(requests, MOST_PER_CALL);
        List<EntryReply> replies = splitCalls.send(
                pieces,
                SplitCalls.cut(pieces, piece -> servers.apply(piece.key()), BatchCalls::weight, MOST_PER_CALL),
                this::keepTogether,
                EntryReply.Failed::new);
        return EntryPieces.join(requests, replies, MOST_PER_CALL);
    }

    private static int weight(EntryRequest piece) {
        return Math.max(1, piece.owners().size());
    }

    private List<EntryReply> keepTogether(List<EntryRequest> requests) {
        if (!oneByOne) {
            ScriptCall call = scripts.keepEntries(requests);
            return Replies.entries(channel.run(call).text(), requests);
        }
        List<ScriptCall> calls = requests.stream()
                .map(request -> scripts.keepEntries(List.of(request)))
                .toList();
        List<WireCalls.Result> results = Objects.requireNonNull(channel.wire())
                .send(calls, Wire.Acks.NONE)
                .results();
        List<EntryReply> replies = new ArrayList<>(requests.size());
        for (int i = 0; i < requests.size(); i++) {
            replies.add(kept(results.get(i), requests.get(i)));
        }
        return replies;
    }

    private static EntryReply kept(WireCalls.Result result, EntryRequest request) {
        return result.failure() == null
                ? Replies.entries(result.orThrow(), List.of(request)).get(0)
                : new EntryReply.Failed(result.reason());
    }
}
