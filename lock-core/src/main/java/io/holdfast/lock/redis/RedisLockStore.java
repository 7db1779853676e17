package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockSnapshot;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Locks in Redis 6.2 or later, or Valkey. One lock is one hash; every call is one Lua script on it, so it is atomic, and
 * all time is Redis' own. What the hash holds is written down in {@code common.lua}.
 *
 * <p>The arguments for each promise of {@link LockStore}:
 *
 * <ul>
 *   <li><b>Exclusive.</b> {@code acquire} writes an owner only where there is none, or one whose {@code lease_end} has
 *       passed on Redis' clock. Redis runs one script at a time.
 *   <li><b>No lease ends early.</b> {@code lease_end} is Redis' time in microseconds, read after the command arrived,
 *       plus the lease. The client counts the same lease from before it sent the command, so its deadline comes first.
 *       (In whole milliseconds, rounding could end a lease up to a millisecond before the client's deadline.)
 *   <li><b>Sent twice.</b> Acquire and renewal set {@code lease_end} to the greater of the old and the new one. Release
 *       by somebody who is not the holder changes nothing.
 *   <li><b>Tokens grow.</b> A token is the greater of the last plus one and Redis' time in microseconds. If the data is
 *       lost, the time has moved past every token handed out, since nobody grants a lock more than once a microsecond.
 *   <li><b>Undone stays undone.</b> {@code leave} writes a tombstone, which makes a late {@code acquire} of the same
 *       owner fail, whichever of the two arrives first.
 *   <li><b>Bounded.</b> Every script that writes sets the key's time-out: the latest lease end or tombstone in it, and
 *       then the token's retention. Expired waiters and tombstones are dropped by later calls.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class RedisLockStore implements LockStore {

    /** Renewals in one script call. At some 3 µs each, Redis serves nobody else for less than 2 ms. */
    private static final int RENEWALS_PER_CALL = 500;

    private static final byte[] ZERO = {'0'};
    private static final byte[] ONE = {'1'};

    private final LockConnections connections;
    private final ScriptRunner calls;
    private final ScriptRunner renewals;
    private final KeyLayout layout;
    private final byte[] retentionMillis;
    private final int renewalsPerCall;

    /**
     * Creates an instance.
     *
     * @param applications tells where Redis is and how to log in; the store makes connections of its own from it, and
     *     never closes it
     * @param settings names, timeouts, retention
     */
    public RedisLockStore(RedisConnectionFactory applications, RedisLockSettings settings) {
        this.connections = new LockConnections(applications, settings);
        this.calls = new ScriptRunner(connections.calls(), settings.commandTimeout());
        this.renewals = new ScriptRunner(connections.renewals(), settings.commandTimeout());
        this.layout = new KeyLayout(settings.keyPrefix());
        this.retentionMillis = bytes(settings.tokenRetention().toMillis());
        this.renewalsPerCall = connections.isCluster() ? 1 : RENEWALS_PER_CALL;
    }

    @Override
    public AcquireReply acquire(AcquireRequest request) {
        ScriptRunner.Reply reply = calls.run(LuaScript.ACQUIRE, 1, new byte[][] {
            layout.bytes(request.key()),
            bytes(request.owner()),
            bytes(request.leaseMillis()),
            retentionMillis,
            bytes(request.holder()),
            request.waiting() ? ONE : ZERO
        });
        return Replies.acquire(reply.values(), !reply.firstSend());
    }

    @Override
    public ReleaseReply release(LockKey key, OwnerId owner, Duration keep) {
        ScriptRunner.Reply reply = calls.run(LuaScript.RELEASE, 1, new byte[][] {
            layout.bytes(key), bytes(owner), retentionMillis, bytes(keep.toMillis())
        });
        if (Replies.released(reply.values())) {
            return ReleaseReply.RELEASED;
        }
        return reply.firstSend() ? ReleaseReply.NOT_HOLDER : ReleaseReply.GONE;
    }

    @Override
    public List<RenewReply> renew(List<RenewRequest> requests) {
        List<RenewReply> replies = new ArrayList<>(requests.size());
        for (int from = 0; from < requests.size(); from += renewalsPerCall) {
            replies.addAll(
                    renewTogether(renewals, requests.subList(from, Math.min(requests.size(), from + renewalsPerCall))));
        }
        return replies;
    }

    @Override
    public RenewReply extend(RenewRequest request) {
        return renewTogether(calls, List.of(request)).get(0);
    }

    private List<RenewReply> renewTogether(ScriptRunner runner, List<RenewRequest> requests) {
        int count = requests.size();
        byte[][] keysAndArgs = new byte[3 * count + 1][];
        keysAndArgs[count] = retentionMillis;
        for (int i = 0; i < count; i++) {
            RenewRequest request = requests.get(i);
            keysAndArgs[i] = layout.bytes(request.key());
            keysAndArgs[count + 1 + 2 * i] = bytes(request.owner());
            keysAndArgs[count + 2 + 2 * i] = bytes(request.leaseMillis());
        }
        return Replies.renew(runner.run(LuaScript.RENEW, count, keysAndArgs).values(), count);
    }

    @Override
    public void leave(LockKey key, OwnerId owner, Duration bury) {
        ScriptRunner.Reply reply = calls.run(LuaScript.LEAVE, 1, new byte[][] {
            layout.bytes(key), bytes(owner), bytes(bury.toMillis()), retentionMillis
        });
        Replies.left(reply.values());
    }

    @Override
    public LockSnapshot inspect(LockKey key) {
        return Replies.inspect(
                key,
                calls.run(LuaScript.INSPECT, 1, new byte[][] {layout.bytes(key)})
                        .values());
    }

    @Override
    public Optional<LockHolder> forceRelease(LockKey key) {
        ScriptRunner.Reply reply =
                calls.run(LuaScript.FORCE_RELEASE, 1, new byte[][] {layout.bytes(key), retentionMillis});
        return Replies.optionalHolder(reply.values(), 0);
    }

    @Override
    public void close() {
        connections.close();
    }

    private static byte[] bytes(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] bytes(OwnerId owner) {
        return owner.toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] bytes(HolderInfo holder) {
        return (holder.host() + '\n' + holder.pid() + '\n' + holder.thread()).getBytes(StandardCharsets.UTF_8);
    }
}
