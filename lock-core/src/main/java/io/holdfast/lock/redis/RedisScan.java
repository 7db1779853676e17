package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.ScriptClient.Reply;
import io.holdfast.lock.redis.driver.LuaScript;
import io.holdfast.lock.redis.driver.Wire.Acks;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.store.scan.StoreScan;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Scans the locks of all servers, one server after another. A step is one call: either {@code SCAN} examines about a thousand keys, or the
 * next hundred locks that it found are read. On a cluster these are a hundred scripts that are sent together, because a script cannot have
 * keys in several slots.
 *
 * <p>{@code SCAN} returns each key that exists throughout the scan, some of them more than once. It is called by a script, because every
 * driver routes a script to a known server, which is not true of other commands.
 *
 * <p>It is unknown which keys its caller hides, so all calls are masked. A server that fails is skipped, unless all fail. If a slot moves during the scan, its locks may be found on neither
 * server.
 */
final class RedisScan implements StoreScan {

    /** The number of keys that {@code SCAN} examines, which takes Redis about 0.5 ms. */
    private static final int KEYS_PER_CALL = 1_000;

    /** At 5 to 15 µs each, these locks block Redis for 0.5 to 1.5 ms. */
    private static final int LOCKS_PER_CALL = 100;

    private static final String BEGIN = "0";
    private static final Pattern NAMES = Pattern.compile("(?<=\\})\n");

    private final ScriptClient client;
    private final ScriptCodec codec;
    private final String pattern;

    /** One key on each server that is still to be scanned; empty before the first step. */
    private final Deque<byte[]> servers = new ArrayDeque<>();

    private final Deque<LockKey> named = new ArrayDeque<>();
    private final Map<LockKey, LockStatus> found = new LinkedHashMap<>();
    private final Set<LockKey> unreadable = new LinkedHashSet<>();
    private String cursor = BEGIN;
    private boolean complete = true;
    private boolean answered;
    private @Nullable LockStoreException failure;

    RedisScan(ScriptClient client, ScriptCodec codec, String keysStartingWith) {
        this.client = client;
        this.codec = codec;
        this.pattern = codec.pattern(keysStartingWith);
    }

    @Override
    public boolean step() {
        if (servers.isEmpty()) {
            client.slotOfEachMaster().values().forEach(slot -> servers.add(codec.keyIn(slot)));
        }
        try {
            if (named.isEmpty()) {
                findNames(servers.element());
            } else {
                readNamed();
            }
            answered = true;
        } catch (LockStoreException e) {
            failure = failure == null ? e : failure;
            complete = false;
            named.clear();
            cursor = BEGIN;
        }
        if (named.isEmpty() && cursor.equals(BEGIN)) {
            servers.remove();
            if (servers.isEmpty() && !answered && failure != null) {
                throw failure;
            }
        }
        return !servers.isEmpty();
    }

    private void findNames(byte[] server) {
        Reply reply = client.run(ScriptCodec.call(LuaScript.SCAN, true, 1, server, cursor, pattern, KEYS_PER_CALL));
        complete &= !reply.moved();
        String[] parts = reply.orThrow().split("\n", 2);
        cursor = parts[0];
        if (parts.length > 1) {
            NAMES.splitAsStream(parts[1])
                    .flatMap(name -> codec.key(name).stream())
                    .forEach(named::add);
        }
    }

    private void readNamed() {
        int number = Math.min(LOCKS_PER_CALL, named.size());
        List<LockKey> keys = Stream.generate(named::remove).limit(number).toList();
        client.send(keys, Acks.NONE, this::inspectAll, this::statuses, RedisScan::fail)
                .forEach(status -> found.put(status.key(), status));
    }

    /** If one of several calls fails, all of them fail, because they all concern locks on the same server. */
    private static LockStatus fail(LockStoreException failure) {
        throw failure;
    }

    private ScriptCall inspectAll(List<LockKey> keys) {
        List<Object> arguments = new ArrayList<>(keys.size() + 2);
        keys.forEach(key -> arguments.add(codec.bytes(key)));
        arguments.addAll(List.of(LockStatus.MAX_HOLDERS, LockStatus.MAX_QUEUED));
        return ScriptCodec.call(LuaScript.INSPECT_ALL, true, keys.size(), arguments.toArray());
    }

    private List<LockStatus> statuses(Reply reply, List<LockKey> keys) {
        complete &= !reply.moved();
        return reply.read(text -> {
            Iterator<String> lines = ScriptCodec.lines(text);
            String[] damaged = ScriptCodec.words(lines.next());
            Stream.of(damaged).skip(1).forEach(at -> unreadable.add(keys.get(Integer.parseInt(at) - 1)));
            return ScriptCodec.all(lines, each -> status(each, keys));
        });
    }

    /** A lock in the reply of {@code inspect_all.lua}. */
    private static LockStatus status(Iterator<String> lines, List<LockKey> keys) {
        String[] words = ScriptCodec.words(lines.next());
        return ScriptCodec.status(keys.get(Integer.parseInt(words[0]) - 1), words, 1, lines);
    }

    @Override
    public int size() {
        return found.size();
    }

    @Override
    public boolean isComplete() {
        return complete;
    }

    @Override
    public Set<LockKey> unreadable() {
        return unreadable;
    }

    @Override
    public List<LockStatus> found() {
        return List.copyOf(found.values());
    }
}
