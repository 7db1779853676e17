package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockSnapshot;
import io.holdfast.lock.redis.driver.DriverConnections;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.store.AcquireAllReply;
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
import io.holdfast.lock.store.overview.RecordedWait;
import io.holdfast.lock.store.overview.StoreScan;
import io.holdfast.lock.store.overview.WaitReport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Locks in Redis 6.2 or later, or Valkey. One lock is one hash; every call is one Lua script on it, so it is atomic, and
 * all time is Redis' own. The contents of the hash are described in {@code common.lua}.
 *
 * <p>How each guarantee of {@link LockStore} is met:
 *
 * <ul>
 *   <li><b>Exclusive.</b> {@code acquire} writes an owner only where there is none, or one whose {@code lease_end} has
 *       passed on Redis' clock. Redis runs one script at a time.
 *   <li><b>No lease ends early.</b> {@code lease_end} is Redis' time in microseconds, read after the command arrived,
 *       plus the lease. The client counts the same lease from before it sent the command, so its deadline comes first.
 *       (In whole milliseconds, rounding could end a lease up to a millisecond before the client's deadline.)
 *   <li><b>Sent twice.</b> Acquire and renewal set {@code lease_end} to the greater of the old and the new one. Release
 *       by somebody who is not the holder gives up the entry that it may have, once.
 *   <li><b>Tokens grow.</b> A token is the greater of the last plus one and Redis' time in microseconds. If the data is
 *       lost, the time has moved past every token handed out, but for the rest of a block of tokens that was not given back, see
 *       {@code docs/architecture.md}.
 *   <li><b>Undone stays undone.</b> {@code leave} marks the owner as cancelled, which makes a late {@code acquire} of the same
 *       owner fail, whichever of the two arrives first.
 *   <li><b>Bounded.</b> Every script that writes sets the key's time-out: the latest end of a lease or a cancellation in it, and
 *       then the token's retention; but for the release of a lock that was granted for no longer than the retention, whose
 *       time-out is at most twice as long. Dead entries and expired cancellations are dropped by later calls.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class RedisLockStore implements LockStore {

    private final LockConnections connections;
    private final ScriptClient client;
    private final Set<WakeChannel> wakeups = ConcurrentHashMap.newKeySet();
    private final Duration commandTimeout;
    private final KeyLayout layout;
    private final ScriptEncoder encoder;
    private final Acknowledgements acks;
    private final BatchedRenewals renewals;
    private final PublishCheck publishing;
    private final MultiLockCalls multiLock;
    private final RedisWaits waits;
    private final @Nullable Rejoining rejoining;

    /**
     * Creates an instance.
     *
     * @param applications specifies where Redis is and how to log in; the store creates its own connections from it, or uses its
     *     connections, see {@link RedisLockSettings.Driver}, and never closes it
     * @param settings names, timeouts, retention
     * @throws IllegalArgumentException if the settings do not fit each other, or the kind of server, or demand Jedis where it
     *     cannot be used
     */
    public RedisLockStore(RedisConnectionFactory applications, RedisLockSettings settings) {
        check(settings);
        this.acks = new Acknowledgements(settings.replicaAcks());
        this.connections = new LockConnections(applications, settings);
        this.commandTimeout = settings.commandTimeout();
        this.client = open(connections.calls());
        this.layout = new KeyLayout(settings.keyPrefix());
        this.encoder = new ScriptEncoder(layout, settings.tokenRetention());
        this.rejoining = settings.rejoinDelay().isZero() ? null : new Rejoining(client, layout, settings);
        check();
        this.multiLock = new MultiLockCalls(client, encoder, rejoining == null && !acks.wanted());
        this.waits = new RedisWaits(client, layout);
        ScriptClient background = open(connections.renewals());
        client.connectNext(background);
        this.publishing = new PublishCheck(background, layout);
        this.renewals = new BatchedRenewals(
                background,
                encoder,
                this::serverOf,
                acks,
                new BatchSplitter(client::isOneServer, settings.commandTimeout(), Ticker.SYSTEM));
    }

    private ScriptClient open(DriverConnections own) {
        return new ScriptClient(own, commandTimeout, new SubscriptionChecks(wakeups));
    }

    /** A server that does not reply to calls may no longer send messages; a replica may not receive any. */
    private record SubscriptionChecks(Set<WakeChannel> wakeups) implements Resends.ServerListener {

        @Override
        public void unanswered() {
            wakeups.forEach(WakeChannel::doubt);
        }

        @Override
        public void replica() {
            wakeups.forEach(WakeChannel::reconnect);
        }
    }

    private static void check(RedisLockSettings settings) {
        if (settings.replicaAcks().number() > 0 && !settings.rejoinDelay().isZero()) {
            throw new IllegalArgumentException("replicaAcks and rejoinDelay cannot be combined: rejoinDelay is for the"
                    + " servers of a quorum, which have no replicas. Remove one of them from the RedisLockSettings.");
        }
    }

    private void check() {
        boolean fits = acks.wanted() ? client.isPipelined() : rejoining == null || !client.isCluster();
        if (!fits) {
            connections.close();
            throw new IllegalArgumentException(
                    acks.wanted()
                            ? "replicaAcks requires Jedis, but locks are kept in " + connections.describe()
                            : "rejoinDelay is for independent servers, not for a cluster");
        }
    }

    @Override
    public AcquireReply acquire(AcquireRequest request) {
        client.connect(commandTimeout);
        ScriptCall call = encoder.acquire(request, rejoining);
        if (acks.wanted()) {
            return acks.acquire(client, call);
        }
        return acquired(call, client.run(call));
    }

    @Override
    public Pending<AcquireReply> beginAcquire(AcquireRequest request) {
        if (acks.wanted()) {
            return () -> acquire(request);
        }
        client.connect(commandTimeout);
        ScriptCall call = encoder.acquire(request, rejoining);
        Supplier<ScriptClient.Reply> begun = client.begin(call);
        return () -> acquired(call, begun.get());
    }

    @Override
    public AcquireAllReply acquireAll(List<AcquireRequest> requests) {
        client.connect(commandTimeout);
        return multiLock.acquire(requests);
    }

    private AcquireReply acquired(ScriptCall call, ScriptClient.Reply first) {
        ScriptClient.Reply reply = first;
        if (rejoining != null && ScriptDecoder.isStranger(reply.text())) {
            rejoining.join();
            reply = client.run(call);
        }
        return ScriptDecoder.acquire(reply.text(), !(first.firstSend() && reply.firstSend()));
    }

    @Override
    public ReleaseReply release(ReleaseRequest request) {
        return released(client.run(encoder.release(request)));
    }

    @Override
    public Pending<ReleaseReply> beginRelease(ReleaseRequest request) {
        Supplier<ScriptClient.Reply> begun = client.begin(encoder.release(request));
        return () -> released(begun.get());
    }

    @Override
    public List<Pending<ReleaseReply>> releaseAll(List<ReleaseRequest> requests) {
        return client.isOneServer() ? multiLock.release(requests) : LockStore.super.releaseAll(requests);
    }

    @Override
    public ReleaseReply downgrade(LockKey key, OwnerId owner, long lastToken) {
        return released(client.run(encoder.downgrade(key, owner, lastToken)));
    }

    private static ReleaseReply released(ScriptClient.Reply reply) {
        if (ScriptDecoder.released(reply.text())) {
            return ReleaseReply.RELEASED;
        }
        return reply.firstSend() ? ReleaseReply.NOT_HOLDER : ReleaseReply.GONE;
    }

    @Override
    public List<RenewReply> renew(List<RenewRequest> requests) {
        return renewals.renew(requests);
    }

    @Override
    public RenewReply extend(RenewRequest request) {
        return renewals.extend(client, request);
    }

    @Override
    public String serverOf(LockKey key) {
        return client.serverOf(layout.bytes(key));
    }

    @Override
    public List<EntryReply> keepEntries(List<EntryRequest> requests) {
        List<EntryReply> replies = renewals.keepEntries(requests);
        publishing.check(requests);
        return replies;
    }

    @Override
    public void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastToken) {
        ScriptDecoder.left(
                client.run(encoder.leave(key, owner, cancelledFor, lastToken)).text());
    }

    /** Three command timeouts, for a connection, a second send and the network; at least 3 s. */
    @Override
    public Duration longestDelay() {
        Duration delay = commandTimeout.multipliedBy(3);
        return delay.compareTo(LockStore.super.longestDelay()) > 0 ? delay : LockStore.super.longestDelay();
    }

    @Override
    public LockSnapshot inspect(LockKey key) {
        return ScriptDecoder.inspect(key, client.run(encoder.inspect(key)).text());
    }

    @Override
    public Optional<StoreScan> openScan(String keyPrefix) {
        return Optional.of(new RedisScan(client, layout, keyPrefix));
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
        return ScriptDecoder.formerHolders(
                client.run(encoder.forceRelease(key, modes)).text());
    }

    @Override
    public Listening listen(String clientId, WakeListener listener) {
        WakeChannel channel = new WakeChannel(
                connections::newWakeups,
                layout.channel(clientId),
                new WakeMessages(listener, acks::byMessage),
                listener,
                commandTimeout,
                wakeups::remove);
        wakeups.add(channel);
        return channel.start();
    }

    @Override
    public Map<String, String> evictionPolicies() {
        return client.evictionPolicies();
    }

    @Override
    public List<String> warnings() {
        return publishing.warnings();
    }

    @Override
    public void disconnect() {
        connections.stop();
    }

    @Override
    public void connect() {
        connections.start();
    }

    @Override
    public void close() {
        connections.close();
    }

    /** {@return which Redis, which way leads there and why, and the prefix of keys; without secrets} */
    @Override
    public String toString() {
        return connections.describe() + ", with key prefix '" + layout.prefix() + "'";
    }
}
