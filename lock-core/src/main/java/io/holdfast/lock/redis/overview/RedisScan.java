package io.holdfast.lock.redis.overview;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.Wire.Script;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.store.overview.StoreScan;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Scans the locks of all servers, one server after the other. A step is one call: either {@code SCAN} examines about a
 * thousand keys, or the next hundred locks that it found are read. On a cluster these are a hundred scripts that are sent
 * together, because a script cannot have keys of several slots.
 *
 * <p>{@code SCAN} returns each key that exists from the beginning to the end of the scan, some of them more than once. It is
 * called by a script, because every driver routes a script to a known server, which is not so for other commands.
 *
 * <p>A server that fails is skipped, unless all fail. If a slot moves during the scan, its locks may be found on neither
 * server.
 */
public final class RedisScan implements StoreScan {

    /** The number of keys that {@code SCAN} examines, which takes it about 0.5 ms. */
    private static final int KEYS_PER_CALL = 1_000;

    /** At 5 to 15 µs each, Redis is blocked for 0.5 to 1.5 ms. */
    static final int LOCKS_PER_CALL = 100;

    private static final String BEGIN = "0";
    private static final Pattern NAMES = Pattern.compile("(?<=\\})\n");

    private final Servers servers;
    private final LockNames names;
    private final Scripts scripts;
    private final String pattern;
    private final Deque<byte[]> left = new ArrayDeque<>();
    private final Deque<LockKey> named = new ArrayDeque<>();
    private final Map<LockKey, LockStatus> found = new LinkedHashMap<>();
    private String cursor = BEGIN;
    private boolean begun;
    private boolean complete = true;
    private boolean answered;
    private @Nullable LockStoreException failure;

    /**
     * The scripts of this package.
     *
     * @param scan finds the names of locks
     * @param overview reads their state
     */
    public record Scripts(Script scan, Script overview) {}

    public RedisScan(Servers servers, LockNames names, Scripts scripts, String keyPrefix) {
        this.servers = servers;
        this.names = names;
        this.scripts = scripts;
        this.pattern = names.pattern(keyPrefix);
    }

    @Override
    public boolean step() {
        if (!begun) {
            begun = true;
            left.addAll(SlotKeys.ofServers(servers, names::bytes));
        }
        try {
            if (named.isEmpty()) {
                nameMore();
            } else {
                lookAtNamed();
            }
            answered = true;
        } catch (LockStoreException e) {
            failure = failure == null ? e : failure;
            leaveOut();
        }
        if (named.isEmpty() && cursor.equals(BEGIN)) {
            nextServer();
        }
        return !left.isEmpty();
    }

    private void nextServer() {
        left.poll();
        if (left.isEmpty() && !answered && failure != null) {
            throw failure;
        }
    }

    private void leaveOut() {
        complete = false;
        named.clear();
        cursor = BEGIN;
    }

    private void nameMore() {
        ScanAnswer answer = ScanAnswer.read(ask(List.of(
                        call(scripts.scan, List.of(left.element()), cursor, pattern, Integer.toString(KEYS_PER_CALL))))
                .get(0));
        cursor = answer.cursor;
        answer.names.stream().flatMap(name -> names.key(name).stream()).forEach(named::add);
    }

    private record ScanAnswer(String cursor, List<String> names) {

        static ScanAnswer read(String answer) {
            String[] parts = answer.split("\n", 2);
            return new ScanAnswer(parts[0], parts.length == 1 ? List.of() : List.of(NAMES.split(parts[1])));
        }
    }

    private void lookAtNamed() {
        List<LockKey> keys = new ArrayList<>(LOCKS_PER_CALL);
        while (keys.size() < LOCKS_PER_CALL && !named.isEmpty()) {
            keys.add(named.remove());
        }
        List<List<LockKey>> perCall = servers.isOneServer()
                ? List.of(keys)
                : keys.stream().map(List::of).toList();
        List<String> answers = ask(perCall.stream().map(this::overview).toList());
        for (int i = 0; i < answers.size(); i++) {
            List<LockKey> asked = perCall.get(i);
            String answer = answers.get(i);
            read(() -> StatusLines.read(answer, asked)).forEach(status -> found.put(status.key(), status));
        }
    }

    private ScriptCall overview(List<LockKey> keys) {
        return call(
                scripts.overview,
                keys.stream().map(names::bytes).toList(),
                Integer.toString(LockStatus.MOST_HOLDERS),
                Integer.toString(LockStatus.MOST_QUEUED));
    }

    private static ScriptCall call(Script script, List<byte[]> keys, String... arguments) {
        Stream<byte[]> texts = Stream.of(arguments).map(text -> text.getBytes(StandardCharsets.UTF_8));
        return new ScriptCall(
                script, keys.size(), Stream.concat(keys.stream(), texts).toArray(byte[][]::new), false);
    }

    /** If one of several calls fails, all of them fail, because they all have locks of the same server. */
    private List<String> ask(List<ScriptCall> calls) {
        List<String> texts = new ArrayList<>(calls.size());
        for (Servers.Answer answer : servers.ask(calls)) {
            LockStoreException failed = answer.failure();
            if (failed != null) {
                throw failed;
            }
            complete &= !answer.moved();
            texts.add(String.valueOf(answer.text()));
        }
        return texts;
    }

    private static <T> T read(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new LockStoreException("Redis returned an unexpected reply to a script that lists locks", e, false);
        }
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
    public List<LockStatus> found() {
        return List.copyOf(found.values());
    }
}
