package io.holdfast.lock.redis;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockData;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.ScriptClient.Reply;
import io.holdfast.lock.redis.driver.ApplicationConnections;
import io.holdfast.lock.redis.driver.LuaScript;
import io.holdfast.lock.redis.driver.RedisFailures;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.redis.driver.Wire.Acks;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.DataRequest;
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
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;
import org.springframework.util.Assert;

/**
 * Locks in Redis 6.2 or later, or Valkey. One lock is one hash; every call is one Lua script on it, so it is atomic, and all times are
 * measured by Redis' clock. The contents of the hash are described in {@code common.lua}.
 *
 * <p>How each guarantee of {@link LockStore} is met:
 *
 * <ul>
 *   <li><b>Exclusive.</b> {@code acquire} writes an owner only where there is none, or one whose {@code lease_end} has
 *       passed on Redis' clock. Redis runs one script at a time.
 *   <li><b>No lease ends early.</b> {@code lease_end} is Redis' time in microseconds, read after the command arrived,
 *       plus the lease. The client counts the same lease from before it sent the command, so its deadline comes first.
 *       (In whole milliseconds, rounding could end a lease up to a millisecond before the client's deadline.)
 *   <li><b>Sent twice.</b> Acquire and renew set {@code lease_end} to the greater of the old and the new one. A release by an owner that is
 *       not the holder only removes its entry, if it still has one.
 *   <li><b>Tokens grow.</b> A token is the greater of the last plus one and Redis' time in microseconds. If the data is lost,
 *       the time has moved past every token handed out, except for the rest of a block of tokens that was not given back, see
 *       {@code docs/architecture.md}.
 *   <li><b>An undone acquisition stays undone.</b> {@code leave} marks the owner as cancelled, which makes a late {@code acquire} of the
 *       same owner fail, whichever of the two arrives first.
 *   <li><b>Bounded.</b> Every script that writes sets the key's expiry to the latest end of a lease or a cancellation in it, plus the
 *       token's retention. The release of a lock whose lease was no longer than the retention keeps the expiry, which is at most two
 *       retentions away. Dead entries and expired cancellations are dropped by later calls.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class RedisLockStore implements LockStore {

    private static final Logger log = LoggerFactory.getLogger(RedisLockStore.class);

    /** When one call acquires or releases several locks, each takes Redis 10 to 20 µs, and counts as this many leases. */
    private static final int RELEASE_WEIGHT = 3;

    static final int MAX_ACQUIRED = MAX_PER_CALL / RELEASE_WEIGHT;

    private static final long LEARN_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final Pattern OTHER_SLOT = Pattern.compile("(?i)same slot|cross.?slot|non local key");

    private final RedisLockSettings settings;
    private final Duration commandTimeout;
    private final String description;
    private final Wire wire;
    private final ScriptClient client;
    private final ScriptClient background;
    private final ScriptCodec codec;
    private final Acks acks;
    private final Batches batches;
    private final RedisWaits waits;
    private final Set<WakeChannel> wakeups = ConcurrentHashMap.newKeySet();

    /** Whether it is known what scripts may publish, see {@link #learnIfDue}. */
    private volatile boolean learned;

    private volatile long learnAgain = System.nanoTime();
    private volatile boolean publishesInSlots;
    private volatile List<String> warnings = List.of();

    /**
     * Creates an instance on the connections that {@link #template} chooses.
     *
     * @param applications specifies where Redis is and how to log in; never closed by the store
     * @param settings names, timeouts, retention, connections
     * @throws IllegalArgumentException if the settings contradict each other, do not suit the kind of server, or require dedicated
     *     connections where there can be none
     */
    public RedisLockStore(RedisConnectionFactory applications, RedisLockSettings settings) {
        this(template(applications, settings), settings);
    }

    /**
     * Creates an instance whose every command goes through a template.
     *
     * @param template where Redis is, and the connections to it. Its serializers do not matter; its transaction support is switched off,
     *     because a transaction would only queue the commands of locks. Dedicated connections, those of {@link #template}, are closed with
     *     the store; any other factory never is
     * @param settings names, timeouts, retention. How many connections there are is up to the template
     * @throws IllegalArgumentException if the settings contradict each other, or do not suit the kind of server
     */
    public RedisLockStore(RedisTemplate<?, ?> template, RedisLockSettings settings) {
        this.settings = settings;
        this.commandTimeout = settings.commandTimeout();
        this.acks =
                new Acks(settings.replicaAcks().count(), settings.replicaAcks().timeout());
        boolean rejoins = !settings.rejoinDelay().isZero();
        Assert.isTrue(
                acks.count() == 0 || !rejoins,
                "replicaAcks and rejoinDelay cannot be combined: rejoinDelay is for the servers of a quorum, which have no"
                        + " replicas. Remove one of them from the RedisLockSettings.");
        RedisConnectionFactory factory = template.getRequiredConnectionFactory();
        this.description = Connections.describe(factory, settings.connection());
        template.setEnableTransactionSupport(false);
        this.wire =
                factory instanceof Wire own ? own : new ApplicationConnections(factory, Connections.server(factory));
        Assert.isTrue(
                acks.count() == 0 || wire.isPipelined(),
                "replicaAcks requires dedicated connections, but locks are kept in " + description);
        Assert.isTrue(!rejoins || !wire.isCluster(), "rejoinDelay is for independent servers, not for a cluster");
        wire.whenRenewed(() -> {
            wakeups.forEach(WakeChannel::reconnect);
            wakeups.forEach(channel -> channel.slots.reconnect());
        });
        this.codec = new ScriptCodec(settings);
        this.background = new ScriptClient(template, wire, true, commandTimeout, wakeups, () -> {});
        this.client = new ScriptClient(template, wire, false, commandTimeout, wakeups, () -> {
            CompletableFuture<?> unused = background.connect().thenRun(() -> {
                if (isSpread()) {
                    learnIfDue(LockKey.of("0"));
                }
            });
        });
        this.batches = new Batches(wire::isOneServer, MAX_PER_CALL, commandTimeout, Ticker.SYSTEM);
        this.waits = new RedisWaits(client, codec, new ConcurrentHashMap<>());
    }

    /**
     * {@return a template for locks} On dedicated connections, which are configured like the factory, or on the factory itself, see {@link
     * RedisLockSettings.Connection}. Connects only when it is used.
     *
     * @param applications specifies where Redis is and how to log in; a {@code JedisConnectionFactory} need not be started for dedicated
     *     connections
     * @param settings connections and command timeout
     * @throws IllegalArgumentException if dedicated connections are required where there can be none; the message states why
     */
    public static RedisTemplate<byte[], byte[]> template(
            RedisConnectionFactory applications, RedisLockSettings settings) {
        RedisTemplate<byte[], byte[]> template = new RedisTemplate<>();
        template.setConnectionFactory(Connections.choose(applications, settings));
        template.setDefaultSerializer(RedisSerializer.byteArray());
        template.afterPropertiesSet();
        return template;
    }

    @Override
    public AcquireReply acquire(AcquireRequest request) {
        return beginAcquire(request).await();
    }

    /** Waits for the first connection for one command timeout only; then the caller's budget decides. */
    @Override
    public Pending<AcquireReply> beginAcquire(AcquireRequest request) {
        ScriptCall call = codec.acquire(request);
        Supplier<List<Reply>> begun = client.begin(List.of(call), acks, commandTimeout);
        return () -> {
            AcquireReply reply = acquired(call, begun.get().get(0));
            if (reply instanceof AcquireReply.Held && request.waiting()) {
                awaited(request.key(), request.owner());
            }
            return reply;
        };
    }

    /** If a server has to record when it was started, it does that first. */
    private AcquireReply acquired(ScriptCall call, Reply first) {
        Reply reply = first;
        if (reply.orThrow().equals("STRANGER")) { // the server has to record when it was started
            client.run(codec.join()).orThrow();
            reply = client.run(call);
        }
        boolean resent = first.resent() || reply.resent();
        AcquireReply acquired = reply.read(text -> ScriptCodec.acquired(text, resent));
        if (acquired instanceof AcquireReply.Granted && reply.replicas() < acks.count()) {
            throw notAcknowledged("The lock was granted", reply);
        }
        return acquired;
    }

    private LockStoreException notAcknowledged(String done, Reply reply) {
        return new LockStoreException(done + ", but " + tooFew(reply.replicas()), null, true);
    }

    private String tooFew(long replicas) {
        return "only " + replicas + " of " + acks.count() + " replicas acknowledged it within "
                + DurationText.of(acks.timeout())
                + ", so the call counts as failed. Check replication and the setting holdfast.redis.replica-acks.";
    }

    /**
     * If a grant needs nothing else, no acknowledgements and no rejoining: in one script, if one server has all locks; over dedicated
     * connections to a cluster, on all nodes at the same time, for a caller that may wait.
     */
    @Override
    public AcquireAllReply acquireAll(List<AcquireRequest> requests) {
        client.connect(commandTimeout);
        boolean together = acks.count() == 0
                && settings.rejoinDelay().isZero()
                && !requests.isEmpty()
                && requests.size() <= MAX_ACQUIRED;
        if (together && wire.isOneServer()) {
            Reply reply = client.run(codec.acquireAll(requests));
            return reply.read(text -> ScriptCodec.acquiredAll(text, requests.size(), reply.resent()));
        }
        return together && isSpread() && requests.stream().allMatch(AcquireRequest::waiting)
                ? acquireSpread(requests)
                : new AcquireAllReply.OneByOne(false);
    }

    /** Whether calls go to several servers over dedicated connections: they can work at the same time, and publish in slots. */
    private boolean isSpread() {
        return wire.isCluster() && wire.isPipelined();
    }

    /**
     * Requests each lock separately, but all at the same time, without queue entries. Unless all are granted, those that are granted are
     * released, again at the same time, so others may see some of them held for as long as these two rounds take. If one of them may still
     * be held, or a call may still arrive, the refusal counts as sent twice, so that the caller cancels all of them. Both rounds share
     * one command timeout, so there is no second one after half of it.
     */
    private AcquireAllReply acquireSpread(List<AcquireRequest> requests) {
        long start = System.nanoTime();
        List<ScriptCall> calls = requests.stream()
                .map(each -> codec.acquire(each.oneTry(each.leaseMillis(), 0, false)))
                .toList();
        List<Reply> replies = client.spread(calls, start);
        List<AcquireReply.Granted> grants = new ArrayList<>();
        List<ScriptCall> releases = new ArrayList<>();
        int refused = -1; // the first one
        for (int i = 0; i < requests.size(); i++) {
            AcquireRequest request = requests.get(i);
            Reply reply = replies.get(i);
            if ((reply.failure() == null || reply.failure().outcomeUnknown())
                    && reply.read(text -> ScriptCodec.acquired(text, reply.resent()))
                            instanceof AcquireReply.Granted grant) {
                grants.add(grant);
                releases.add(codec.release(new ReleaseRequest(request.key(), request.owner())));
            } else if (refused < 0) {
                refused = i;
            }
        }
        if (refused < 0) {
            return new AcquireAllReply.Granted(grants);
        }
        boolean mayBeHeld = replies.stream().anyMatch(Reply::resent)
                || (System.nanoTime() - start >= commandTimeout.toNanos() / 2
                        ? !releases.isEmpty()
                        : client.spread(releases, start).stream().anyMatch(reply -> reply.failure() != null));
        Reply first = replies.get(refused);
        if (first.failure() != null) {
            throw mayBeHeld ? RedisFailures.ofUnknownOutcome(first.failure()) : first.failure();
        }
        return new AcquireAllReply.Refused(refused, first.read(text -> ScriptCodec.acquired(text, mayBeHeld)));
    }

    @Override
    public ReleaseReply release(ReleaseRequest request) {
        return beginRelease(request).await();
    }

    @Override
    public Pending<ReleaseReply> beginRelease(ReleaseRequest request) {
        Supplier<List<Reply>> begun =
                client.begin(List.of(codec.release(request)), Acks.NONE, ScriptClient.CONNECT_LIMIT);
        return () -> released(begun.get().get(0));
    }

    @Override
    public ReleaseReply downgrade(LockKey key, OwnerId owner, long lastFencingToken) {
        Reply reply = client.run(codec.downgrade(key, owner, lastFencingToken));
        // If it is sent twice, the second one finds the shared hold.
        return reply.read(ScriptCodec::released) ? ReleaseReply.RELEASED : ReleaseReply.NOT_HOLDER;
    }

    private ReleaseReply released(Reply reply) {
        return reply.read(ScriptCodec::released) ? ReleaseReply.RELEASED : notHeld(reply);
    }

    private ReleaseReply notHeld(Reply reply) {
        return reply.resent() || wire.isRepeating() ? ReleaseReply.GONE : ReleaseReply.NOT_HOLDER;
    }

    /** In one script for one server; over dedicated connections to a cluster, on all nodes at the same time. */
    @Override
    public List<Pending<ReleaseReply>> releaseAll(List<ReleaseRequest> requests) {
        return wire.isOneServer() || isSpread()
                ? batches.<ReleaseRequest, Pending<ReleaseReply>>send(
                        requests, request -> "", request -> RELEASE_WEIGHT, this::releaseTogether, failure -> () -> {
                            throw failure;
                        })
                : LockStore.super.releaseAll(requests);
    }

    /** Calls that an interrupt has broken fail together, so that the caller can repeat all of them. */
    private List<Pending<ReleaseReply>> releaseTogether(List<ReleaseRequest> requests) {
        if (isSpread()) {
            List<Reply> replies =
                    client.spread(requests.stream().map(codec::release).toList(), System.nanoTime());
            if (Thread.currentThread().isInterrupted()) {
                replies.forEach(Reply::orThrow);
            }
            return replies.stream()
                    .<Pending<ReleaseReply>>map(reply -> () -> released(reply))
                    .toList();
        }
        Reply reply = client.run(codec.releaseAll(requests));
        Iterator<ReleaseRequest> next = requests.iterator();
        return reply.read(text -> ScriptCodec.outcomes(text, requests.size())).stream()
                .map(outcome -> released(next.next(), outcome, reply))
                .toList();
    }

    private Pending<ReleaseReply> released(ReleaseRequest request, String outcome, Reply reply) {
        return () -> switch (outcome) {
            case "" -> ReleaseReply.RELEASED;
            case "NOT_HOLDER" -> notHeld(reply);
            default ->
                throw new LockStoreException(
                        "Lock '" + request.key() + "' could not be released: "
                                + RedisFailures.explain(outcome, reply.masked()),
                        null,
                        false);
        };
    }

    @Override
    public List<RenewReply> renew(List<RenewRequest> requests) {
        return batches.send(
                requests,
                request -> part(request.key()),
                request -> 1,
                some -> renewTogether(background, some),
                failed(RenewReply.Failed::new));
    }

    private static <A> Function<LockStoreException, A> failed(Function<String, A> reply) {
        return failure -> reply.apply(String.valueOf(failure.getMessage()));
    }

    /** Over the callers' connections. */
    @Override
    public RenewReply extend(RenewRequest request) {
        return renewTogether(client, List.of(request)).get(0);
    }

    /** Turns renewals into failures if too few replicas have acknowledged them. */
    private List<RenewReply> renewTogether(ScriptClient over, List<RenewRequest> requests) {
        return over.send(
                requests,
                acks,
                codec::renew,
                (reply, some) -> reply.read(text -> ScriptCodec.renewed(text, some.size(), reply.masked())).stream()
                        .map(each -> each instanceof RenewReply.Renewed && reply.replicas() < acks.count()
                                ? new RenewReply.Failed(tooFew(reply.replicas()))
                                : each)
                        .toList(),
                failed(RenewReply.Failed::new));
    }

    /**
     * A part consists of the locks on one server, which are in one call and fail together. While the server is unknown, each lock is a
     * separate part, so that a node that does not reply has little effect on the locks of other nodes.
     */
    private String part(LockKey key) {
        String server = serverOf(key);
        return server.isEmpty() && !wire.isOneServer() ? key.toString() : server;
    }

    @Override
    public String serverOf(LockKey key) {
        return wire.serverOf(codec.bytes(key));
    }

    @Override
    public List<EntryReply> keepEntries(List<EntryRequest> requests) {
        List<EntryReply> replies = batches.send(
                requests,
                request -> part(request.key()),
                request -> Math.max(1, request.owners().size()),
                some -> background.send(
                        some,
                        Acks.NONE,
                        codec::keepEntries,
                        (reply, kept) -> reply.read(text -> ScriptCodec.entries(text, kept, reply.masked())),
                        failed(EntryReply.Failed::new)),
                failed(EntryReply.Failed::new));
        for (EntryRequest request : requests) {
            request.owners().stream().findFirst().ifPresent(owner -> awaited(request.key(), owner));
        }
        if (!requests.isEmpty()) {
            learnIfDue(requests.get(0).key());
        }
        return replies;
    }

    /** In a cluster, the client subscribes to its channel in the slot of a lock that it waits for. */
    private void awaited(LockKey key, OwnerId owner) {
        if (publishesInSlots) {
            wakeups.stream()
                    .filter(each -> each.clientId.equals(owner.clientId()))
                    .forEach(each -> each.slots.await(key));
        }
    }

    /**
     * Finds out what scripts may publish to wake waiters. If they may not, they work without messages, and every waiter has to poll to learn
     * that it was granted the lock. Done with the first poll, because a waiter that polls has received no message for half a second; if the
     * server does not reply, the next poll repeats it. In a cluster, with the first connection, and again every minute while somebody
     * waits, because servers are replaced one by one; on a thread of its own, because the others must not wait for one that hangs. Two
     * threads may do this at the same time, which at worst logs a second warning.
     *
     * @param key a lock on the server that publishes
     */
    private void learnIfDue(LockKey key) {
        if (!isSpread()) {
            if (!learned) {
                learn(key);
            }
        } else if (System.nanoTime() - learnAgain >= 0) {
            learnAgain = System.nanoTime() + LEARN_AGAIN_NANOS;
            DaemonThreads.create(() -> learn(key), "holdfast-profile").start();
        }
    }

    private void learn(LockKey key) {
        try {
            String[] failures =
                    background.run(codec.publish(key, isSpread())).orThrow().split("\n", -1);
            boolean inSlots = isSpread() && failures[1].isEmpty();
            if (inSlots && !publishesInSlots) {
                log.info(
                        "Hand-overs of locks are published on sharded channels, only on the server that has the lock{}",
                        failures[0].isEmpty()
                                ? ""
                                : "; scripts may publish nowhere else, so the first waiter for a lock may learn of its grant 500 ms later");
            }
            List<String> found = inSlots || failures[0].isEmpty() ? List.of() : List.of(warning(failures[0]));
            found.stream().filter(each -> !warnings.contains(each)).forEach(log::warn);
            warnings = found;
            publishesInSlots = inSlots;
            wire.publishInSlots(inSlots);
            learned = true;
        } catch (LockStoreException e) {
            log.debug("Could not check whether scripts may publish", e);
        }
    }

    private String warning(String failure) {
        boolean isOtherSlot = OTHER_SLOT.matcher(failure).find();
        return "Redis does not let scripts publish to the wakeup channels, so waiters poll every 500 ms. "
                + (isOtherSlot
                        ? "This server permits messages only in the slot of a lock, which requires dedicated connections"
                                + " (holdfast.redis.connection=dedicated) and the permissions SPUBLISH and SSUBSCRIBE"
                        : "Grant the Redis user PUBLISH and the channels " + settings.keyPrefix() + ":wake:*")
                + " (" + RedisFailures.explain(failure, false) + ")";
    }

    /** If scripts could not publish, checks again. */
    @Override
    public List<String> warnings() {
        if (!warnings.isEmpty()) {
            learn(LockKey.of("0"));
        }
        return warnings;
    }

    @Override
    public void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastFencingToken) {
        var unused = client.run(codec.leave(key, owner, cancelledFor, lastFencingToken))
                .read(reply -> ScriptCodec.linesAfter("LEFT", reply));
    }

    /** Three command timeouts, for a connection, a second send and the network; at least 3 s. */
    @Override
    public Duration longestDelay() {
        return Collections.max(List.of(LockStore.super.longestDelay(), commandTimeout.multipliedBy(3)));
    }

    @Override
    public LockStatus inspect(LockKey key) {
        return client.run(codec.inspect(key)).read(reply -> ScriptCodec.inspected(key, reply));
    }

    @Override
    public boolean keepsData() {
        return true;
    }

    @Override
    public Optional<LockData> data(DataRequest request) {
        Acks wanted = request.owner() == null ? Acks.NONE : acks; // a holder's read ends the writes of its predecessors
        Reply reply = client.begin(List.of(codec.data(request)), wanted, ScriptClient.CONNECT_LIMIT)
                .get()
                .get(0);
        Optional<LockData> data = reply.read(text -> ScriptCodec.data(request, text));
        if (data.isPresent() && reply.replicas() < wanted.count()) {
            throw notAcknowledged("The data was " + (request.value() == null ? "read" : "saved"), reply);
        }
        return data;
    }

    @Override
    public Optional<StoreScan> openScan(String keysStartingWith) {
        return Optional.of(new RedisScan(client, codec, keysStartingWith));
    }

    @Override
    public void recordWaits(String clientId, List<WaitReport> reports) {
        waits.record(clientId, reports);
    }

    @Override
    public List<RecordedWait> recordedWaits() {
        return waits.all();
    }

    @Override
    public List<LockHolder> forceRelease(LockKey key, Set<LockMode> modes) {
        client.connect(ScriptClient.CONNECT_LIMIT); // reveals whether there is a cluster
        return client.run(codec.forceRelease(key, modes, wire.isRepeating())).read(ScriptCodec::formerHolders);
    }

    /**
     * If acknowledgements are required, a grant received by message is treated as already expired, because it is unknown whether the
     * replicas have it. So the waiter calls the store, and that call waits for the replicas.
     */
    @Override
    public Listening listen(String clientId, WakeListener listener) {
        WakeChannel channel =
                new WakeChannel(wire, codec, clientId, listener, acks.count() == 0, commandTimeout, wakeups::remove);
        wakeups.add(channel);
        channel.thread.start();
        return channel;
    }

    @Override
    public Map<String, String> evictionPolicies() {
        Map<String, String> policies = new TreeMap<>();
        client.slotOfEachMaster().forEach((server, slot) -> policies.put(server, evictionPolicy(slot)));
        return policies;
    }

    /** Uses {@code INFO}, which a user whose permissions cover only locks may not be allowed to run. */
    private String evictionPolicy(int slot) {
        try {
            return client.run(ScriptCodec.call(LuaScript.EVICTION_POLICY, false, 1, codec.keyIn(slot)))
                    .orThrow();
        } catch (LockStoreException e) {
            log.debug("The eviction policy could not be read", e);
            return "unknown";
        }
    }

    @Override
    public void disconnect() {
        wire.stop();
    }

    @Override
    public void connect() {
        wire.start();
    }

    @Override
    public void close() {
        wire.close();
    }

    /** {@return where Redis is, how locks connect to it and why, and the prefix of keys; without secrets} */
    @Override
    public String toString() {
        return description + ", with key prefix '" + settings.keyPrefix() + "'"
                + (publishesInSlots ? ", with sharded messages" : "");
    }
}
