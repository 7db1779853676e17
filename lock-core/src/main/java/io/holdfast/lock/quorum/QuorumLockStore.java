package io.holdfast.lock.quorum;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.OutOfRangeException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.store.scan.RecordedWait;
import io.holdfast.lock.store.scan.StoreScan;
import io.holdfast.lock.store.scan.WaitReport;
import io.holdfast.lock.threads.DaemonThreads;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Locks on an odd number of independent servers: a lock is held if a majority has granted it. Works as long as a majority does.
 * The algorithm is Redlock, with fencing tokens.
 *
 * <pre>
 *   acquire ──► all servers at once ──► most of them grant it, with the same token ──► granted
 *                                   └─► otherwise given back everywhere, retried after a random delay
 *   renew, release ──► all servers at once, decided by most of them
 * </pre>
 *
 * <p><b>Exclusive.</b> Two majorities have a server in common, which grants the lock to only one of them. For permits see {@link
 * Quorum#needed}. A holder counts its lease from before it called the first server, and requests a slightly longer lease from each server,
 * because clocks may {@linkplain Quorum#withDrift drift apart}. So on every server that granted it the lock, it still holds the lock at its
 * own deadline; the time that the servers took to reply is part of the lease. A hold is renewed if as many servers renew it as had to grant
 * it.
 *
 * <p><b>Restarts.</b> A server that has forgotten its locks could complete another client's majority. So it must not grant
 * unknown locks until all earlier leases are over: for Redis see {@code RedisLockSettings.rejoinDelay}. Longer leases than that
 * are refused here.
 *
 * <p><b>Tokens.</b> See {@link Election}.
 *
 * <p><b>Waiting.</b> Independent servers cannot share a queue. Waiters poll at random intervals of 25 to 75 ms, after {@linkplain
 * Election#rest longer rests} if servers are slow; fair locks are refused.
 *
 * <p>One thread sends to all servers before it reads the first reply, and nobody waits for a reply that can no longer change the
 * outcome, see {@link Quorum#askInRound}. Thread-safe.
 *
 * @see <a href="https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">Distributed locks with Redis</a>
 */
public final class QuorumLockStore implements LockStore {

    private static final String UNKNOWN = "unknown";

    private final Quorum quorum;
    private final Duration longestLease;
    private final Ticker ticker;
    private final TokenClock clock;

    /** When waiters that were refused may try again, on the ticker; for as long as anything else refers to their ids. */
    private final Map<OwnerId, Long> nextTries = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * Creates an instance.
     *
     * @param nodes the servers: an odd number, at least 3; closed together with this store
     * @param longestLease the maximum lease, 1 ms to 365 days; a server that has lost its data must not grant unknown locks for
     *     at least this long
     * @throws IllegalArgumentException if there are too few servers, an even number, or one twice; or if the longest lease is
     *     out of range
     */
    public QuorumLockStore(List<QuorumNode> nodes, Duration longestLease) {
        this(nodes, longestLease, Ticker.SYSTEM, most -> DaemonThreads.pool(most, "holdfast-quorum-"));
    }

    /** For tests, which control when calls are sent. */
    QuorumLockStore(List<QuorumNode> nodes, Duration longestLease, Ticker ticker, IntFunction<Executor> pools) {
        if (longestLease.compareTo(Duration.ofMillis(1)) < 0 || longestLease.compareTo(LockRequest.MAX_TIME) > 0) {
            throw new OutOfRangeException(
                    "longestLease", longestLease, "between 1 ms and " + LockRequest.MAX_TIME.toDays() + " days");
        }
        this.quorum = new Quorum(nodes, ticker, pools);
        this.longestLease = longestLease;
        this.ticker = ticker;
        this.clock = new TokenClock(longestLease, ticker);
    }

    @Override
    public AcquireReply acquire(AcquireRequest request) {
        if (request.fair()) {
            throw new IllegalArgumentException("Lock '" + request.key()
                    + "' is requested as fair, but a quorum does not support fair locks, because"
                    + " its servers cannot share a queue. Set fair to false, or keep locks on one server or in"
                    + " a cluster.");
        }
        checkLease(request.leaseMillis());
        long start = ticker.nanos();
        AcquireReply reply = new Election(quorum, clock, request).run();
        long end = ticker.nanos();
        if (reply instanceof AcquireReply.Held) {
            nextTries.put(request.owner(), end + Election.rest(end - start));
        }
        return reply;
    }

    @Override
    public Duration longestLease() {
        return longestLease;
    }

    private void checkLease(long leaseMillis) {
        if (leaseMillis > longestLease.toMillis()) {
            throw new IllegalArgumentException(
                    "A lease of " + DurationText.of(Duration.ofMillis(leaseMillis)) + " is longer than the "
                            + DurationText.of(longestLease)
                            + " for which a restarted server grants no locks (holdfast.quorum.rejoin-delay). Shorten"
                            + " the lease, which is renewed while the lock is held, or raise the rejoin delay.");
        }
    }

    @Override
    public ReleaseReply release(ReleaseRequest request) {
        int needed = quorum.needed(request.limit());
        Ballot<ReleaseReply> ballot = quorum.askInRound(
                (node, round) -> node.call(request.owner(), round, () -> node.store.beginRelease(request)),
                each -> each.isDecided(reply -> reply != ReleaseReply.NOT_HOLDER, needed));
        return released(needed, ballot);
    }

    @Override
    public ReleaseReply downgrade(LockKey key, OwnerId owner, long lastFencingToken) {
        // The next caller should find the lock shared on all servers.
        return released(
                quorum.majority(),
                quorum.askAll(node -> node.send(owner, store -> store.downgrade(key, owner, lastFencingToken))));
    }

    /**
     * The lock was not held if too many servers report that. On a server that failed, or was not awaited, it may have been
     * held.
     */
    private ReleaseReply released(int needed, Ballot<ReleaseReply> ballot) {
        int released = ballot.count(ReleaseReply.RELEASED::equals);
        int gone = ballot.count(ReleaseReply.GONE::equals);
        if (released + gone >= needed) {
            return released >= needed ? ReleaseReply.RELEASED : ReleaseReply.GONE;
        }
        if (quorum.nodes.size() - ballot.count(ReleaseReply.NOT_HOLDER::equals) >= needed) {
            throw ballot.majorityLost(needed);
        }
        return ReleaseReply.NOT_HOLDER;
    }

    @Override
    public List<RenewReply> renew(List<RenewRequest> requests) {
        return requests.isEmpty() ? List.of() : renewed(requests, LockStore::renew);
    }

    @Override
    public RenewReply extend(RenewRequest request) {
        return renewed(List.of(request), (store, one) -> List.of(store.extend(one.get(0))))
                .get(0);
    }

    private List<RenewReply> renewed(
            List<RenewRequest> requests, BiFunction<LockStore, List<RenewRequest>, List<RenewReply>> call) {
        requests.forEach(request -> checkLease(request.leaseMillis()));
        List<RenewRequest> onEachNode = requests.stream()
                .map(each -> new RenewRequest(
                        each.key(), each.owner(), Quorum.withDrift(each.leaseMillis()), each.limit(), each.followers()))
                .toList();
        // If one is not renewed, it is worth waiting for the other servers.
        Ballot<List<RenewReply>> ballot = quorum.ask(
                node -> node.send(store -> call.apply(store, onEachNode)),
                each -> renewed(requests, each).allMatch(RenewReply.Renewed.class::isInstance));
        var unused = ballot.answers(quorum.majority());
        return renewed(requests, ballot).toList();
    }

    private Stream<RenewReply> renewed(List<RenewRequest> requests, Ballot<List<RenewReply>> ballot) {
        return IntStream.range(0, requests.size()).mapToObj(at -> {
            int needed = quorum.needed(requests.get(at).limit());
            int renewed = ballot.count(replies -> replies.get(at) instanceof RenewReply.Renewed);
            if (renewed >= needed) {
                return new RenewReply.Renewed();
            }
            int refused = ballot.count(replies -> replies.get(at) instanceof RenewReply.NotHolder);
            return quorum.nodes.size() - refused < needed
                    ? new RenewReply.NotHolder()
                    : new RenewReply.Failed("only " + renewed + " of " + quorum.nodes.size() + " servers renewed it; "
                            + needed + " are required");
        });
    }

    /** There are no entries: every waiter polls, except during its rest. */
    @Override
    public List<EntryReply> keepEntries(List<EntryRequest> requests) {
        long now = ticker.nanos();
        Predicate<OwnerId> rested = owner -> nextTries.getOrDefault(owner, now) - now <= 0;
        return requests.stream()
                .map(request -> request.owners().stream().filter(rested).toList())
                .map(called -> (EntryReply) new EntryReply.Kept(called, 0, Election.backOff()))
                .toList();
    }

    @Override
    public void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastFencingToken) {
        Ballot<Boolean> ballot = quorum.ask(
                node -> node.send(owner, store -> {
                    store.leave(key, owner, cancelledFor, lastFencingToken);
                    return true;
                }),
                each -> each.isDecided(left -> left, quorum.majority()));
        ballot.answers(quorum.majority());
    }

    @Override
    public Duration longestDelay() {
        return Collections.max(
                quorum.nodes.stream().map(node -> node.store.longestDelay()).toList());
    }

    @Override
    public LockStatus inspect(LockKey key) {
        List<LockStatus> statuses = look(store -> store.inspect(key));
        return Merged.status(statuses, quorum.majority(), quorum.nodes.size() - statuses.size());
    }

    @Override
    public Optional<StoreScan> openScan(String keysStartingWith) {
        return Optional.of(new QuorumScan(quorum, keysStartingWith));
    }

    /** Each server records them separately, and dates them by the time of its reply. So all replies are awaited. */
    @Override
    public void recordWaits(String clientId, List<WaitReport> waits) {
        Ballot<Boolean> ballot = quorum.askAll(node -> node.send(store -> {
            store.recordWaits(clientId, waits);
            return true;
        }));
        ballot.answers(1);
    }

    /** The waits of a single server, the one that has recorded most of them: times of different servers cannot be compared. */
    @Override
    public List<RecordedWait> recordedWaits() {
        Ballot<List<RecordedWait>> ballot = quorum.ask(
                node -> node.send(LockStore::recordedWaits),
                each -> each.answers().size() >= quorum.majority());
        return Collections.max(ballot.answers(1), Comparator.comparing(List::size));
    }

    @Override
    public List<LockHolder> forceRelease(LockKey key, Set<LockMode> modes) {
        return Merged.holders(look(store -> store.forceRelease(key, modes)).stream(), quorum.majority());
    }

    /** From all servers that reply, which must be a majority, after earlier calls to them have ended. */
    private <A> List<A> look(Function<LockStore, A> call) {
        return quorum.askAll(node -> node.sendAfterAll(call)).answers(quorum.majority());
    }

    /** Each server is queried separately, so that servers that respond do not wait for servers that do not. */
    @Override
    public Map<String, String> evictionPolicies() {
        Ballot<String> ballot = quorum.askAll(node -> node.send(QuorumLockStore::evictionPolicy));
        return quorum.byName(node -> Objects.requireNonNullElse(ballot.answer(node), UNKNOWN));
    }

    /** A store does not throw if its server does not respond. That must not count as a reply from the server. */
    private static String evictionPolicy(LockStore store) {
        Map<String, String> policies = store.evictionPolicies();
        if (policies.isEmpty() || policies.containsValue(UNKNOWN)) {
            throw new LockStoreException("Its eviction policy is unknown", null, false);
        }
        return String.join(", ", policies.values());
    }

    @Override
    public Map<String, String> failedServers() {
        return quorum.byName(node -> node.failure);
    }

    /** There are no messages. */
    @Override
    public Listening listen(String clientId, WakeListener listener) {
        return Listening.NONE;
    }

    @Override
    public void disconnect() {
        quorum.nodes.forEach(node -> node.store.disconnect());
    }

    @Override
    public void connect() {
        quorum.nodes.forEach(node -> node.store.connect());
    }

    @Override
    public void close() {
        quorum.close();
    }

    @Override
    public String toString() {
        return "the quorum of " + quorum.nodes.stream().map(node -> node.name).collect(Collectors.joining(", "));
    }
}
