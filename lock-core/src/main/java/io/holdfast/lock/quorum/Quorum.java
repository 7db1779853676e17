package io.holdfast.lock.quorum;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.threads.DaemonThreads;
import io.holdfast.lock.threads.Uninterrupted;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The servers, and how many of them are needed. */
final class Quorum {

    static final int MIN_SERVERS = 3;

    /** A lease is longer on the servers, by one percent plus 2 ms. */
    static final int DRIFT_SHARE = 100;

    static final int DRIFT_MILLIS = 2;

    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LAST_ANSWERS_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    final List<Node> nodes;
    private final Executor rounds;
    private volatile boolean closed;

    /**
     * @param ticker measures which servers are slow
     * @param pools returns a pool with at most that many threads; called once for each server, and once for the rounds
     */
    Quorum(List<QuorumNode> nodes, Ticker ticker, IntFunction<Executor> pools) {
        if (nodes.size() < MIN_SERVERS || nodes.size() % 2 == 0) {
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
                .map(node -> new Node(node, pools.apply(Node.MAX_THREADS), ticker))
                .toList();
    }

    int majority() {
        return nodes.size() / 2 + 1;
    }

    /**
     * Two majorities have a server in common, which grants a lock to one of them only. For a semaphore with <i>n</i> permits that is not
     * enough: <i>N</i> servers have <i>N n</i> places, so a hold needs the smallest number of servers for which <i>n</i> + 1 holders do not
     * fit into these places.
     */
    int needed(int limit) {
        if (limit == AcquireRequest.EXCLUSIVE || limit == Integer.MAX_VALUE) {
            return majority();
        }
        return (int) ((long) nodes.size() * limit / (limit + 1L)) + 1;
    }

    /** The lease to request from each server: longer than the caller's, because their clocks may run at different rates. */
    static long withDrift(long leaseMillis) {
        return leaseMillis + leaseMillis / DRIFT_SHARE + DRIFT_MILLIS;
    }

    /** Calls all servers, and waits until the ballot is decided. Each call ends within its timeout, so interrupts can wait. */
    <A> Ballot<A> ask(Function<Node, CompletableFuture<A>> call, Predicate<Ballot<A>> decided) {
        Ballot<A> ballot = open(call, decided);
        Uninterrupted.await(ballot.closed, Long.MAX_VALUE);
        return ballot;
    }

    /** Calls all servers, and waits for all replies. */
    <A> Ballot<A> askAll(Function<Node, CompletableFuture<A>> call) {
        return ask(call, ballot -> false);
    }

    /**
     * Calls all servers from one thread as far as possible: it sends all calls, and only then reads the replies. With a thread for each
     * server, locking and unlocking took twice as long.
     *
     * <p><b>The caller is not that thread.</b> A read from a server that has begun to hang ends after a whole command timeout, and so does
     * connecting to it; nothing can end it earlier without breaking the connection, and then nobody would know whether the call will still
     * be carried out. So the caller waits for the outcome of the ballot only, and that thread remains blocked on the server that hangs.
     * Other threads take over what it has not reached: after 10 ms, or when the same acquisition makes its next call to that server. Each
     * step of a call is done by one thread only, and a later call of the acquisition waits for the earlier one, see {@link Node}.
     *
     * <p><b>The end.</b> A ballot is decided when most servers have replied; usually the last replies arrive a few microseconds later. The
     * caller waits for them for up to a millisecond, so that its next call need not wait. A server that takes longer gets its own
     * threads for the next calls, until it has replied to one of them in time.
     *
     * @param call makes the call to one server; adds it to the round if it can be sent together with the calls to the other servers
     */
    <A> Ballot<A> askInRound(
            BiFunction<Node, Consumer<Node.NodeCall<?>>, CompletableFuture<A>> call, Predicate<Ballot<A>> decided) {
        List<Node.NodeCall<?>> round = new ArrayList<>();
        CountDownLatch end = new CountDownLatch(1);
        Ballot<A> ballot = open(node -> call.apply(node, round::add), decided);
        DaemonThreads.executeOrRun(rounds, () -> {
            round.forEach(Node.NodeCall::send);
            round.forEach(Node.NodeCall::finish);
            end.countDown();
        });
        if (!Uninterrupted.await(ballot.closed, PATIENCE_NANOS)) {
            round.forEach(each -> each.leaveBehind(true));
            Uninterrupted.await(ballot.closed, Long.MAX_VALUE);
        } else if (!Uninterrupted.await(end, LAST_ANSWERS_NANOS)) {
            round.forEach(each -> each.leaveBehind(false));
        }
        return ballot;
    }

    private <A> Ballot<A> open(Function<Node, CompletableFuture<A>> call, Predicate<Ballot<A>> decided) {
        if (closed) {
            throw new LockStoreException("The quorum store is closed", null, false);
        }
        Ballot<A> ballot = new Ballot<>(nodes, decided);
        for (Node node : nodes) {
            var unused = call.apply(node).whenComplete((answer, failure) -> ballot.add(node, answer, failure));
        }
        return ballot;
    }

    /** The values by server name, without servers that have none. */
    <A> Map<String, A> byName(Function<Node, @Nullable A> value) {
        Map<String, A> values = new TreeMap<>();
        nodes.forEach(node -> values.compute(node.name, (name, none) -> value.apply(node)));
        return values;
    }

    void close() {
        closed = true;
        Stream.concat(Stream.of(rounds), nodes.stream().map(node -> node.threads))
                .filter(ExecutorService.class::isInstance)
                .forEach(threads -> ((ExecutorService) threads).shutdown());
        nodes.forEach(Node::close);
    }
}
