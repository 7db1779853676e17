package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The servers, and how many of them it takes. */
final class Quorum {

    static final int FEWEST = 3;

    private final List<Node> nodes;
    private final Executor threads;

    Quorum(List<QuorumNode> nodes, Executor threads) {
        if (nodes.size() < FEWEST || nodes.size() % 2 == 0) {
            throw new IllegalArgumentException("A quorum needs an odd number of servers, at least 3, but this one has "
                    + nodes.size() + ": an even number adds no fault tolerance");
        }
        if (nodes.stream().map(QuorumNode::name).distinct().count() < nodes.size()) {
            throw new IllegalArgumentException("A server is listed twice in "
                    + nodes.stream().map(QuorumNode::name).toList()
                    + ": a server that counts twice can form a majority with itself");
        }
        this.threads = threads;
        this.nodes = nodes.stream().map(node -> new Node(node, threads)).toList();
    }

    int size() {
        return nodes.size();
    }

    List<String> names() {
        return nodes.stream().map(Node::name).toList();
    }

    int majority() {
        return nodes.size() / 2 + 1;
    }

    /**
     * Two majorities have a server in common, which grants a lock to one of them only. A server that grants <i>n</i>
     * permits has room for more: with <i>N</i> servers that each count to <i>n</i>, so many of them are needed that
     * <i>n</i> + 1 holders do not fit in <i>N n</i> places.
     */
    int needed(int limit) {
        if (limit == AcquireRequest.EXCLUSIVE || limit == Integer.MAX_VALUE) {
            return majority();
        }
        return (int) ((long) size() * limit / (limit + 1L)) + 1;
    }

    /** Whether that many servers can no longer agree. */
    <A> boolean isRefused(Ballot<A> ballot, Predicate<A> yes, int needed) {
        return ballot.without(yes) > size() - needed;
    }

    /** Calls all servers until that many have agreed, or no longer can. */
    <A> Ballot<A> vote(OwnerId owner, Function<LockStore, A> call, Predicate<A> yes, int needed) {
        return collect(node -> node.send(owner, call), ballot -> isDecided(ballot, yes, needed));
    }

    /** Asks all servers, and waits for all that answer. */
    <A> Ballot<A> askAll(OwnerId owner, Function<LockStore, A> call) {
        return collect(node -> node.send(owner, call), ballot -> false);
    }

    /** As {@link #vote}, by one thread as far as possible, see {@link Round}. */
    <A> Ballot<A> voteInRound(
            OwnerId owner, Function<LockStore, LockStore.Pending<A>> begin, Predicate<A> yes, int needed) {
        return voteInRound(owner, node -> begin, (Ballot<A> ballot) -> isDecided(ballot, yes, needed));
    }

    /** Asks all servers for a lock, by one thread as far as possible, until it is decided. */
    Ballot<AcquireReply> elect(AcquireRequest request, Predicate<Ballot<AcquireReply>> decided) {
        return voteInRound(
                request.owner(),
                node -> store -> {
                    node.requireNoDoubt(request.owner());
                    return store.beginAcquire(request);
                },
                decided);
    }

    private <A> Ballot<A> voteInRound(
            OwnerId owner,
            Function<Node, Function<LockStore, LockStore.Pending<A>>> calls,
            Predicate<Ballot<A>> decided) {
        Ballot<A> ballot = new Ballot<>(nodes, decided);
        Round round = new Round();
        for (int i = 0; i < nodes.size(); i++) {
            int at = i;
            Node node = nodes.get(i);
            Function<LockStore, LockStore.Pending<A>> begin = calls.apply(node);
            NodeCall<A> call = node.prepare(owner, begin);
            CompletableFuture<A> answer =
                    call == null ? node.send(owner, store -> begin.apply(store).await()) : call;
            if (call != null) {
                round.add(node, call);
            }
            var unused = answer.whenComplete((done, failure) -> ballot.add(at, done, failure));
        }
        round.start(threads);
        round.await(ballot);
        return ballot;
    }

    private <A> boolean isDecided(Ballot<A> ballot, Predicate<A> yes, int needed) {
        return ballot.count(yes) >= needed || isRefused(ballot, yes, needed);
    }

    /** Asks all servers, whatever they did before, until it is decided. */
    <A> Ballot<A> ask(Function<LockStore, A> call, Predicate<Ballot<A>> decided) {
        return collect(node -> node.send(call), decided);
    }

    /** Asks all servers, once they have answered what they were asked before, and waits for all that answer. */
    <A> Ballot<A> askAllAfterAll(Function<LockStore, A> call) {
        return collect(node -> node.sendAfterAll(call), ballot -> false);
    }

    /** Asks each server something of its own, or leaves it out, and waits for all that answer. */
    <A> Ballot<A> askEach(IntFunction<@Nullable Function<LockStore, A>> calls) {
        Ballot<A> ballot = new Ballot<>(nodes, each -> false);
        for (int i = 0; i < nodes.size(); i++) {
            int at = i;
            Function<LockStore, A> call = calls.apply(i);
            CompletableFuture<A> answer = call == null
                    ? CompletableFuture.failedFuture(new LockStoreException("not called", null, false))
                    : nodes.get(i).send(call);
            var unused = answer.whenComplete((done, failure) -> ballot.add(at, done, failure));
        }
        ballot.await();
        return ballot;
    }

    private <A> Ballot<A> collect(Asking<A> call, Predicate<Ballot<A>> decided) {
        Ballot<A> ballot = new Ballot<>(nodes, decided);
        for (int i = 0; i < nodes.size(); i++) {
            int node = i;
            var unused = call.on(nodes.get(i)).whenComplete((answer, failure) -> ballot.add(node, answer, failure));
        }
        ballot.await();
        return ballot;
    }

    @FunctionalInterface
    private interface Asking<A> {
        CompletableFuture<A> on(Node node);
    }

    /** Gives back what those servers may have granted in a failed try, without waiting. */
    void giveBack(ReleaseRequest request, Predicate<Integer> which) {
        for (int i = 0; i < nodes.size(); i++) {
            if (which.test(i)) {
                nodes.get(i).giveBack(request);
            }
        }
    }

    /** The reply of each server that gave one, by its name. */
    <A, T> Map<String, T> byName(Ballot<A> ballot, Function<A, @Nullable T> what) {
        Map<String, T> named = new TreeMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            A answer = ballot.answer(i);
            T said = answer == null ? null : what.apply(answer);
            if (said != null) {
                named.put(nodes.get(i).name(), said);
            }
        }
        return named;
    }

    /** Of every server, by its name. Each is asked by itself, so that those which answer do not wait for those which do not. */
    Map<String, String> evictionPolicies() {
        Ballot<Map<String, String>> ballot = collect(node -> node.send(LockStore::evictionPolicies), each -> false);
        Map<String, String> policies = new TreeMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            Map<String, String> answer = ballot.answer(i);
            policies.put(
                    nodes.get(i).name(),
                    answer == null || answer.isEmpty() ? "unknown" : String.join(", ", answer.values()));
        }
        return policies;
    }

    /** What the latest call to each server failed with, by its name. */
    Map<String, String> failedServers() {
        Map<String, String> failed = new TreeMap<>();
        nodes.forEach(node -> node.failure().ifPresent(message -> failed.put(node.name(), message)));
        return failed;
    }

    /** The servers, for messages that need no majority. */
    Stream<LockStore> stores() {
        return nodes.stream().map(Node::store);
    }

    void close() {
        nodes.forEach(Node::close);
    }
}
