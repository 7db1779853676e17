package io.holdfast.lock.quorum;

import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.LockStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The servers, and how many of them it takes. */
final class Quorum {

    static final int FEWEST = 3;

    private final List<Node> nodes;
    private final Executor rounds;

    /** @param pools returns a pool of that many threads at most; one for each server, and one that runs rounds */
    Quorum(List<QuorumNode> nodes, IntFunction<Executor> pools) {
        if (nodes.size() < FEWEST || nodes.size() % 2 == 0) {
            throw new IllegalArgumentException("A quorum needs an odd number of servers, at least 3, but this one has "
                    + nodes.size() + ": an even number adds no fault tolerance");
        }
        if (nodes.stream().map(QuorumNode::name).distinct().count() < nodes.size()) {
            throw new IllegalArgumentException("A server is listed twice in "
                    + nodes.stream().map(QuorumNode::name).toList()
                    + ": a server that counts twice can form a majority with itself");
        }
        this.rounds = pools.apply(Integer.MAX_VALUE);
        this.nodes = nodes.stream()
                .map(node -> new Node(node, pools.apply(Node.MOST_THREADS)))
                .toList();
    }

    List<Node> nodes() {
        return nodes;
    }

    int size() {
        return nodes.size();
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

    /** Calls all servers, and waits until it is decided. */
    <A> Ballot<A> ask(Function<Node, CompletableFuture<A>> call, Predicate<Ballot<A>> decided) {
        Ballot<A> ballot = open(call, decided);
        ballot.await(Long.MAX_VALUE);
        return ballot;
    }

    /** Calls all servers, and waits for all replies. */
    <A> Ballot<A> askAll(Function<Node, CompletableFuture<A>> call) {
        return ask(call, ballot -> false);
    }

    /** Calls all servers, by one thread as far as possible, and waits until it is decided. */
    <A> Ballot<A> askInRound(BiFunction<Node, Round, CompletableFuture<A>> call, Predicate<Ballot<A>> decided) {
        Round round = new Round();
        Ballot<A> ballot = open(node -> call.apply(node, round), decided);
        round.start(rounds);
        round.await(ballot);
        return ballot;
    }

    private <A> Ballot<A> open(Function<Node, CompletableFuture<A>> call, Predicate<Ballot<A>> decided) {
        Ballot<A> ballot = new Ballot<>(nodes, decided);
        for (Node node : nodes) {
            var unused = call.apply(node).whenComplete((answer, failure) -> ballot.add(node, answer, failure));
        }
        return ballot;
    }

    /** The servers, for messages that need no majority. */
    Stream<LockStore> stores() {
        return nodes.stream().map(Node::store);
    }

    void close() {
        Stream.concat(Stream.of(rounds), nodes.stream().map(Node::threads)).forEach(threads -> {
            if (threads instanceof ExecutorService pool) {
                pool.shutdown();
            }
        });
        nodes.forEach(Node::close);
    }
}
