package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.AcquireRequest.HolderInfo;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Turns requests into scripts with keys and arguments, which the scripts document. */
final class ScriptEncoder {

    private final KeyLayout layout;
    private final long retentionMillis;
    private final byte[] retention;

    ScriptEncoder(KeyLayout layout, Duration tokenRetention) {
        this.layout = layout;
        this.retentionMillis = tokenRetention.toMillis();
        this.retention = bytes(retentionMillis);
    }

    /** @param rejoining where the server records when it was started, if it has to */
    ScriptCall acquire(AcquireRequest request, @Nullable Rejoining rejoining) {
        byte[] key = layout.bytes(request.key());
        byte[] owner = bytes(request.owner());
        byte[] lease = bytes(request.leaseMillis());
        byte[] keep = bytes(request.leaseMillis() + retentionMillis);
        byte[] holder = bytes(request.holder());
        if (rejoining == null && isPlain(request)) {
            return call(LuaScript.ACQUIRE, key, owner, lease, keep, holder);
        }
        byte[] options = bytes(options(request));
        byte[] least = bytes(request.leastToken());
        return rejoining == null
                ? call(LuaScript.ACQUIRE, key, owner, lease, keep, holder, options, least)
                : new ScriptCall(
                        LuaScript.ACQUIRE,
                        2,
                        new byte[][] {
                            key, rejoining.note(), owner, lease, keep, holder, options, least, rejoining.delay()
                        },
                        false);
    }

    /** @param requests of one thread */
    ScriptCall acquireAll(List<AcquireRequest> requests) {
        List<byte[]> arguments =
                new ArrayList<>(List.of(retention, bytes(requests.get(0).holder())));
        for (AcquireRequest request : requests) {
            arguments.add(bytes(request.owner()));
            arguments.add(bytes(request.leaseMillis()));
            arguments.add(bytes(limit(request)));
        }
        return forMany(
                LuaScript.ACQUIRE_ALL,
                requests.stream().map(AcquireRequest::key).toList(),
                arguments);
    }

    private ScriptCall forMany(LuaScript script, List<LockKey> locks, List<byte[]> arguments) {
        List<byte[]> all = new ArrayList<>(locks.size() + arguments.size());
        locks.forEach(lock -> all.add(layout.bytes(lock)));
        all.addAll(arguments);
        return new ScriptCall(script, locks.size(), all.toArray(byte[][]::new), false);
    }

    private static String limit(AcquireRequest request) {
        return request.limit() + (request.weight() == 1 ? "" : "/" + request.weight());
    }

    private static boolean isPlain(AcquireRequest request) {
        return request.isExclusive()
                && !request.fair()
                && request.waiting()
                && request.tokens() == 1
                && request.leastToken() == 0;
    }

    private static String options(AcquireRequest request) {
        return limit(request)
                + (request.fair() ? " 1 " : " 0 ")
                + (request.waiting() ? "1 " : "0 ")
                + request.tokens()
                + (request.raising() ? " 1" : "");
    }

    ScriptCall release(ReleaseRequest request) {
        byte[] key = layout.bytes(request.key());
        byte[] owner = bytes(request.owner());
        return isPlain(request)
                ? call(LuaScript.RELEASE, key, owner, retention)
                : call(LuaScript.RELEASE, key, owner, retention, bytes(options(request)));
    }

    ScriptCall releaseAll(List<ReleaseRequest> requests) {
        List<byte[]> arguments = new ArrayList<>(List.of(retention));
        for (ReleaseRequest request : requests) {
            arguments.add(bytes(request.owner()));
            arguments.add(bytes(isPlain(request) ? "" : options(request)));
        }
        return forMany(
                LuaScript.RELEASE_ALL,
                requests.stream().map(ReleaseRequest::key).toList(),
                arguments);
    }

    /** A key that is known to live for at most two retentions keeps its time-out. */
    private boolean isPlain(ReleaseRequest request) {
        return request.keep().isZero()
                && request.lastToken() == ReleaseRequest.ALL_TOKENS
                && request.leaseMillis() <= retentionMillis;
    }

    private static String options(ReleaseRequest request) {
        return request.keep().toMillis() + " " + request.lastToken();
    }

    ScriptCall downgrade(LockKey key, OwnerId owner, long lastToken) {
        return call(LuaScript.DOWNGRADE, layout.bytes(key), bytes(owner), retention, bytes(lastToken));
    }

    ScriptCall leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastToken) {
        return call(
                LuaScript.LEAVE,
                layout.bytes(key),
                bytes(owner),
                bytes(cancelledFor.toMillis()),
                retention,
                bytes(lastToken));
    }

    ScriptCall inspect(LockKey key) {
        return call(LuaScript.INSPECT, layout.bytes(key));
    }

    ScriptCall forceRelease(LockKey key, Set<LockMode> modes) {
        return modes.size() == LockMode.values().length
                ? call(LuaScript.FORCE_RELEASE, layout.bytes(key), retention)
                : call(
                        LuaScript.FORCE_RELEASE,
                        layout.bytes(key),
                        retention,
                        bytes(modes.iterator().next().name()));
    }

    ScriptCall renew(List<RenewRequest> requests) {
        int count = requests.size();
        byte[][] keysAndArgs = new byte[3 * count + 1][];
        keysAndArgs[count] = retention;
        for (int i = 0; i < count; i++) {
            RenewRequest request = requests.get(i);
            keysAndArgs[i] = layout.bytes(request.key());
            keysAndArgs[count + 1 + 2 * i] = bytes(request.owner());
            keysAndArgs[count + 2 + 2 * i] = bytes(request.leaseMillis());
        }
        return new ScriptCall(LuaScript.RENEW, count, keysAndArgs, false);
    }

    ScriptCall keepEntries(List<EntryRequest> requests) {
        List<byte[]> keys = new ArrayList<>(requests.size());
        List<byte[]> arguments = new ArrayList<>(List.of(retention));
        for (EntryRequest request : requests) {
            keys.add(layout.bytes(request.key()));
            arguments.add(bytes(request.owners().size()));
            request.owners().forEach(owner -> arguments.add(bytes(owner)));
        }
        int count = keys.size();
        keys.addAll(arguments);
        return new ScriptCall(LuaScript.KEEP_ENTRIES, count, keys.toArray(byte[][]::new), false);
    }

    private static ScriptCall call(LuaScript script, byte[]... keyAndArguments) {
        return new ScriptCall(script, 1, keyAndArguments, false);
    }

    private static byte[] bytes(long number) {
        return bytes(Long.toString(number));
    }

    private static byte[] bytes(String ascii) {
        return ascii.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] bytes(OwnerId owner) {
        return bytes(owner.toString());
    }

    private static byte[] bytes(HolderInfo holder) {
        String thread = holder.thread().replace('\n', ' ');
        return (holder.host() + '\n' + holder.pid() + '\n' + thread).getBytes(StandardCharsets.UTF_8);
    }
}
