package io.holdfast.lock.redis;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockData;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockWaiter;
import io.holdfast.lock.redis.driver.LuaScript;
import io.holdfast.lock.redis.driver.RedisFailures;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.DataRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.Followers;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.Waiters;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.util.Assert;

/**
 * Turns requests into scripts with keys and arguments, and their results into replies. The scripts document both; any other
 * result is rejected.
 *
 * <p>A lock is stored under {@code prefix:{key}}. The braces are Redis' hash tag, so everything that belongs to one lock is in one slot.
 * Percent signs and braces inside the key are escaped as in a URL. The mapping is injective: no key can close the tag early, or look like
 * another. The names of other keys do not end with a brace, so they are not those of locks.
 */
final class ScriptCodec {

    private static final Pattern GLOB = Pattern.compile("[\\\\*?\\[\\]]");
    private static final List<Waiters> WAITERS = List.of(Waiters.values());

    /** Between a thread and its trace. No name of a thread contains it, see {@link HolderInfo}. */
    private static final String TRACE = "\t";

    private static final RenewReply RENEWED = new RenewReply.Renewed();

    /** Earlier holders count their leases by other clocks, which may be slower by one percent. */
    private static final int CLOCKS_DIFFER_BY_ONE_IN = 100;

    private final Map<Integer, byte[]> keyBySlot = new ConcurrentHashMap<>();
    private final String prefix;
    private final String open;
    private final long retentionMillis;
    private final byte[] joined;

    /** How long a server that was started without its data refuses to grant unknown locks; 0 if it grants them immediately. */
    private final long rejoinMillis;

    ScriptCodec(RedisLockSettings settings) {
        this.prefix = settings.keyPrefix();
        this.open = prefix + ":{";
        this.retentionMillis = settings.tokenRetention().toMillis();
        this.joined = utf8(prefix + ":joined");
        Duration delay = settings.rejoinDelay();
        Duration byAnyClock =
                delay.plus(delay.dividedBy(CLOCKS_DIFFER_BY_ONE_IN)).plusMillis(1);
        this.rejoinMillis = delay.isZero() ? 0 : byAnyClock.toMillis();
    }

    /** The channel on which a client receives the messages that concern it. */
    byte[] channel(String clientId) {
        return utf8(prefix + ":wake:" + clientId);
    }

    /** The channel in the slot of a lock on which a client receives the messages about that lock. */
    byte[] channel(LockKey key, String clientId) {
        return utf8(prefix + ":wake:{" + escape(key.value()) + "}:" + clientId);
    }

    /** The key of the recorded nested waits. */
    byte[] waits() {
        return utf8(prefix + ":waits");
    }

    byte[] bytes(LockKey key) {
        return utf8(open + escape(key.value()) + '}');
    }

    /**
     * The name of a lock in that slot, which routes a call to the server of the slot. The first search takes some 16,000 tries, about 2 ms.
     */
    byte[] keyIn(int slot) {
        return keyBySlot.computeIfAbsent(
                slot,
                wanted -> IntStream.iterate(0, each -> each + 1)
                        .mapToObj(Integer::toString)
                        .filter(each -> ClusterSlotHashUtil.calculateSlot(each) == wanted)
                        .map(each -> bytes(LockKey.of(each)))
                        .findFirst()
                        .orElseThrow());
    }

    /** The lock with that name in Redis. Other applications may write anything, even under this prefix. */
    Optional<LockKey> key(String name) {
        if (!name.startsWith(open) || !name.endsWith("}")) {
            return Optional.empty();
        }
        String escaped = name.substring(open.length(), name.length() - 1);
        String text = escaped.replace("%7B", "{").replace("%7D", "}").replace("%25", "%");
        try {
            return escape(text).equals(escaped) ? Optional.of(LockKey.of(text)) : Optional.empty();
        } catch (LockKeyException e) {
            return Optional.empty();
        }
    }

    /** A pattern for {@code SCAN} that matches the names of all locks whose keys start with the prefix. */
    String pattern(String keysStartingWith) {
        return GLOB.matcher(open + escape(keysStartingWith)).replaceAll("\\\\$0") + '*';
    }

    private static String escape(String text) {
        return text.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
    }

    ScriptCall acquire(AcquireRequest request) {
        LockKey key = request.key();
        OwnerId owner = request.owner();
        long lease = request.leaseMillis();
        long keep = lease + retentionMillis;
        String holder = text(request.holder());
        if (rejoinMillis == 0 && isPlain(request)) {
            return script(LuaScript.ACQUIRE, 1, key, owner, lease, keep, holder);
        }
        String options = limit(request)
                + (request.fair() ? " 1 " : " 0 ")
                + (request.waiting() ? "1 " : "0 ")
                + request.tokens()
                + (request.raising() ? " 1" : "");
        long least = request.leastToken();
        return rejoinMillis == 0
                ? script(LuaScript.ACQUIRE, 1, key, owner, lease, keep, holder, options, least)
                : script(LuaScript.ACQUIRE, 2, key, joined, owner, lease, keep, holder, options, least, rejoinMillis);
    }

    private static boolean isPlain(AcquireRequest request) {
        return request.isExclusive()
                && !request.fair()
                && request.waiting()
                && request.tokens() == 1
                && request.leastToken() == 0;
    }

    private static String limit(AcquireRequest request) {
        return request.limit() + (request.weight() == 1 ? "" : "/" + request.weight());
    }

    /** Makes the server record when it was started, unless it has already. The server determines that time itself. */
    ScriptCall join() {
        return call(LuaScript.JOIN, false, 1, joined, retentionMillis);
    }

    static AcquireReply acquired(String reply, boolean resent) {
        if (isDigit(reply)) {
            return new AcquireReply.Granted(positive(reply), 1, Waiters.NONE, resent);
        }
        Iterator<String> lines = lines(reply);
        String[] words = words(lines.next());
        return switch (words[0]) {
            case "GRANTED" -> granted(words, 1, resent);
            case "HELD" ->
                new AcquireReply.Held(
                        all(lines, ScriptCodec::holder).stream().findFirst(),
                        positive(words[1]),
                        micros(words[2]),
                        count(words[3]),
                        resent);
            case "BURIED" -> new AcquireReply.Cancelled();
            case "REJOINING" ->
                throw new LockStoreException(
                        "The Redis server was restarted recently and may have lost this lock: it can be granted in "
                                + DurationText.of(micros(words[1]))
                                + ", when all earlier leases have expired (rejoin-delay).",
                        null,
                        false);
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    private static AcquireReply.Granted granted(String[] words, int from, boolean resent) {
        return new AcquireReply.Granted(
                positive(words[from]), positive(words[from + 1]), waiters(Long.parseLong(words[from + 2])), resent);
    }

    /** @param requests all from the same thread */
    ScriptCall acquireAll(List<AcquireRequest> requests) {
        String holder = text(requests.get(0).holder());
        return callForMany(
                LuaScript.ACQUIRE_ALL,
                requests,
                AcquireRequest::key,
                request -> List.of(request.owner(), request.leaseMillis(), limit(request)),
                holder);
    }

    static AcquireAllReply acquiredAll(String reply, int expected, boolean resent) {
        String[] parts = reply.split("\n", 2);
        String[] words = words(parts[0]);
        return switch (words[0]) {
            case "GRANTED" ->
                new AcquireAllReply.Granted(
                        all(lines(parts[1], expected), lines -> granted(words(lines.next()), 0, resent)));
            case "REFUSED" -> new AcquireAllReply.Refused(Integer.parseInt(words[1]) - 1, acquired(parts[1], resent));
            case "BROKEN" -> new AcquireAllReply.OneByOne(resent);
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    ScriptCall release(ReleaseRequest request) {
        LockKey key = request.key();
        return isPlain(request)
                ? script(LuaScript.RELEASE, 1, key, request.owner(), retentionMillis)
                : script(LuaScript.RELEASE, 1, key, request.owner(), retentionMillis, options(request));
    }

    /** A key that is known to live for at most two retentions keeps its expiry. */
    private boolean isPlain(ReleaseRequest request) {
        return request.keep().isZero()
                && request.lastFencingToken() == ReleaseRequest.ALL_TOKENS
                && request.leaseMillis() <= retentionMillis;
    }

    private static String options(ReleaseRequest request) {
        return request.keep().toMillis() + " " + request.lastFencingToken();
    }

    ScriptCall downgrade(LockKey key, OwnerId owner, long lastFencingToken) {
        return script(LuaScript.DOWNGRADE, 1, key, owner, retentionMillis, lastFencingToken);
    }

    /** Whether the owner was the holder. */
    static boolean released(String reply) {
        return switch (reply) {
            case "RELEASED" -> true;
            case "NOT_HOLDER" -> false;
            default -> throw new IllegalArgumentException(reply);
        };
    }

    ScriptCall releaseAll(List<ReleaseRequest> all) {
        return callForMany(
                LuaScript.RELEASE_ALL,
                all,
                ReleaseRequest::key,
                each -> List.of(each.owner(), isPlain(each) ? "" : options(each)));
    }

    /** For each lock, an empty string on success, otherwise {@code NOT_HOLDER} or the error. */
    static List<String> outcomes(String reply, int expected) {
        List<String> outcomes = new ArrayList<>(Collections.nCopies(expected, ""));
        lines(reply).forEachRemaining(line -> {
            String[] words = line.split(" ", 2);
            outcomes.set(Integer.parseInt(words[0]) - 1, words[1]);
        });
        return outcomes;
    }

    ScriptCall renew(List<RenewRequest> all) {
        return callForMany(
                LuaScript.RENEW,
                all,
                RenewRequest::key,
                each -> List.of(each.owner(), each.leaseMillis() + text(each.followers())));
    }

    static List<RenewReply> renewed(String reply, int expected, boolean masked) {
        return outcomes(reply, expected).stream()
                .map(outcome -> switch (outcome) {
                    case "" -> RENEWED;
                    case "NOT_HOLDER" -> new RenewReply.NotHolder();
                    default -> new RenewReply.Failed(RedisFailures.explain(outcome, masked));
                })
                .toList();
    }

    ScriptCall keepEntries(List<EntryRequest> all) {
        return callForMany(LuaScript.KEEP_ENTRIES, all, EntryRequest::key, each -> {
            List<Object> arguments = new ArrayList<>(List.of(each.owners().size()));
            each.owners()
                    .forEach(
                            owner -> arguments.add(owner + text(each.followers().get(owner))));
            return arguments;
        });
    }

    private static String text(@Nullable Followers few) {
        return few == null || few.equals(Followers.NONE)
                ? ""
                : " " + few.number() + ' ' + few.longestWait().toNanos() / 1_000;
    }

    static List<EntryReply> entries(String reply, List<EntryRequest> requests, boolean masked) {
        Iterator<String> lines = lines(reply, requests.size() + 1);
        long storeMicros = positive(lines.next());
        return requests.stream()
                .map(request -> kept(lines.next(), storeMicros, request.owners(), masked))
                .toList();
    }

    private static EntryReply kept(String line, long storeMicros, List<OwnerId> owners, boolean masked) {
        if (!isDigit(line)) {
            return new EntryReply.Failed(RedisFailures.explain(line.split(" ", 2)[1], masked));
        }
        String[] words = words(line);
        List<OwnerId> called = Arrays.stream(words)
                .skip(1)
                .map(word -> owners.get(Integer.parseInt(word) - 1))
                .toList();
        return new EntryReply.Kept(called, storeMicros, micros(words[0]));
    }

    ScriptCall leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastFencingToken) {
        return script(LuaScript.LEAVE, 1, key, owner, cancelledFor.toMillis(), retentionMillis, lastFencingToken);
    }

    ScriptCall inspect(LockKey key) {
        return script(LuaScript.INSPECT, 1, key, LockStatus.MAX_HOLDERS, LockStatus.MAX_QUEUED);
    }

    static LockStatus inspected(LockKey key, String reply) {
        Iterator<String> lines = lines(reply);
        return status(key, words(lines.next()), 0, lines);
    }

    /**
     * The status of a lock, see {@code status.lua}.
     *
     * @param words its numbers, from the given one on
     * @param lines its holders and entries
     */
    static LockStatus status(LockKey key, String[] words, int from, Iterator<String> lines) {
        List<LockHolder> holders = times(words[from + 3], () -> holder(lines));
        List<LockWaiter> queue = times(words[from + 4], () -> waiter(lines));
        return new LockStatus(
                key,
                holders,
                queue,
                Integer.parseInt(words[from + 1]),
                Long.parseLong(words[from]),
                micros(words[from + 2]));
    }

    private static LockWaiter waiter(Iterator<String> lines) {
        String[] words = words(lines.next());
        return info(lines).waiting(clientOf(words[0]), mode(words[1]), words[2].equals("1"), words[3].equals("1"));
    }

    ScriptCall data(DataRequest request) {
        LockKey key = request.key();
        List<Object> all = new ArrayList<>(List.of(key, utf8(open + escape(key.value()) + "}:data"), retentionMillis));
        if (request.owner() != null) {
            all.addAll(List.of(request.owner(), request.fencingToken()));
        }
        if (request.value() != null) {
            all.addAll(List.of(request.number(), request.keep().toMillis(), request.value()));
        }
        return script(LuaScript.DATA, 2, all.toArray());
    }

    /** Empty if the owner does not hold the lock. */
    static Optional<LockData> data(DataRequest request, String reply) {
        if (reply.equals("NOT_HOLDER")) {
            return Optional.empty();
        }
        String[] parts = reply.split("\n", 2);
        String[] words = words(parts[0]);
        Instant now = instant(positive(words[0]));
        long savedAt = Long.parseLong(words[1]);
        byte[] value = request.value() == null ? parts[1].getBytes(StandardCharsets.ISO_8859_1) : request.value();
        return Optional.of(savedAt == 0 ? LockData.none(now) : LockData.of(value, instant(savedAt), now));
    }

    /** @param repeated whether the call may be sent again; then its reply is remembered */
    ScriptCall forceRelease(LockKey key, Set<LockMode> modes, boolean repeated) {
        List<Object> all = new ArrayList<>(List.of(key));
        if (repeated) {
            all.add(utf8(open + escape(key.value()) + "}:forced:" + UUID.randomUUID()));
        }
        all.add(retentionMillis);
        if (modes.size() < LockMode.values().length) {
            all.addAll(modes);
        }
        return script(LuaScript.FORCE_RELEASE, repeated ? 2 : 1, all.toArray());
    }

    static List<LockHolder> formerHolders(String reply) {
        return all(linesAfter("RELEASED", reply), ScriptCodec::holder);
    }

    /**
     * Publishes an empty message to a channel that belongs to no client.
     *
     * @param key a lock on the server that publishes
     * @param inSlot whether to publish one in the slot of the lock, too
     */
    ScriptCall publish(LockKey key, boolean inSlot) {
        return inSlot
                ? script(LuaScript.PUBLISH, 1, key, channel("0"), channel(key, "0"))
                : script(LuaScript.PUBLISH, 1, key, channel("0"));
    }

    /**
     * A script for several locks.
     *
     * @param arguments returns the arguments of a request, which follow the retention and the other common ones
     */
    private <Q> ScriptCall callForMany(
            LuaScript script,
            List<Q> requests,
            Function<Q, LockKey> key,
            Function<Q, List<?>> arguments,
            Object... common) {
        List<Object> all = new ArrayList<>(4 * requests.size());
        requests.forEach(request -> all.add(key.apply(request)));
        all.add(retentionMillis);
        all.addAll(List.of(common));
        requests.forEach(request -> all.addAll(arguments.apply(request)));
        return script(script, requests.size(), all.toArray());
    }

    /** Masked if one of the keys is. */
    private ScriptCall script(LuaScript script, int keys, Object... keysAndArguments) {
        boolean masked = false;
        for (int i = 0; i < keys; i++) {
            if (keysAndArguments[i] instanceof LockKey key) {
                keysAndArguments[i] = bytes(key);
                masked |= key.isMasked();
            }
        }
        return call(script, masked, keys, keysAndArguments);
    }

    static ScriptCall call(LuaScript script, boolean masked, int keys, Object... keysAndArguments) {
        byte[][] all = new byte[keysAndArguments.length][];
        for (int i = 0; i < all.length; i++) {
            Object value = keysAndArguments[i];
            all[i] = value instanceof byte[] key ? key : utf8(value.toString());
        }
        return new ScriptCall(script, keys, all, masked);
    }

    private static String text(HolderInfo holder) {
        String trace = holder.traceparent() == null ? "" : TRACE + holder.traceparent();
        return holder.host() + '\n' + holder.pid() + '\n' + holder.thread() + trace;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Parses all remaining lines. */
    static <T> List<T> all(Iterator<String> lines, Function<Iterator<String>, T> reading) {
        List<T> all = new ArrayList<>();
        while (lines.hasNext()) {
            all.add(reading.apply(lines));
        }
        return all;
    }

    /** Calls the reader the given number of times. */
    static <T> List<T> times(String number, Supplier<T> reading) {
        return Stream.generate(reading).limit(Integer.parseInt(number)).toList();
    }

    /** The next four lines, see {@code describe.lua}. The token is the time of the grant, or slightly later. */
    static LockHolder holder(Iterator<String> lines) {
        String[] words = words(lines.next());
        long token = positive(words[3]);
        return info(lines)
                .holding(clientOf(words[1]), instant(token), micros(words[0]), token, mode(words[2]), isKept(words[1]));
    }

    /** The next three lines. */
    static HolderInfo info(Iterator<String> lines) {
        String host = lines.next();
        long pid = Long.parseLong(lines.next());
        String[] thread = lines.next().split(TRACE, 2);
        return new HolderInfo(host, pid, thread[0], thread.length == 1 ? null : thread[1]);
    }

    /** An OwnerId starts with a minus sign if the lock was released and is kept for the rest of its {@code minHold}. */
    private static boolean isKept(String owner) {
        return owner.startsWith("-");
    }

    /** The client id of an OwnerId. */
    static String clientOf(String owner) {
        return owner.substring(isKept(owner) ? 1 : 0, Math.max(0, owner.lastIndexOf(':')));
    }

    static LockMode mode(String word) {
        return word.equals("0") ? LockMode.EXCLUSIVE : LockMode.SHARED;
    }

    static Waiters waiters(long number) {
        return WAITERS.get((int) Math.min(number, WAITERS.size())); // or throws
    }

    private static boolean isDigit(String text) {
        return !text.isEmpty() && text.charAt(0) >= '0' && text.charAt(0) <= '9';
    }

    /** An empty string has no lines. */
    static Iterator<String> lines(String text) {
        return text.isEmpty()
                ? Collections.emptyIterator()
                : List.of(text.split("\n", -1)).iterator();
    }

    /** All lines but the first one, which must be the given one. */
    static Iterator<String> linesAfter(String first, String text) {
        Iterator<String> lines = lines(text);
        Assert.isTrue(lines.next().equals(first), first);
        return lines;
    }

    private static Iterator<String> lines(String text, int expected) {
        List<String> lines = List.of(text.split("\n", -1));
        Assert.isTrue(lines.size() == expected, "Expected one line for each lock");
        return lines.iterator();
    }

    static String[] words(String line) {
        return line.split(" ", -1);
    }

    static Duration micros(String number) {
        return Duration.of(Long.parseLong(number), ChronoUnit.MICROS);
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private static int count(String text) {
        int number = Integer.parseInt(text);
        Assert.isTrue(number >= 0, "Negative");
        return number;
    }

    private static long positive(String text) {
        long number = Long.parseLong(text);
        Assert.isTrue(number > 0, "Not positive");
        return number;
    }
}
