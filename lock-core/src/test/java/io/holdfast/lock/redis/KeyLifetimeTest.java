package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.DataRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;

/**
 * Each script that writes to a lock sets the time-out of its key: to the latest end of what it holds, and the retention of its token.
 * With an earlier one the lock would be free too early, without one the key would stay for ever. Before the script the key has no
 * time-out, so none is left over from the scripts before. All times are the server's, so no machine is too slow for this.
 */
class KeyLifetimeTest {

    private static final HolderInfo HERE = new HolderInfo("web-1", 17, "main");
    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final long RETENTION = TestRedis.PATIENT.tokenRetention().toMillis();
    private static final long BRIEF = LockStore.ENTRY_TIMEOUT.toMillis() / 2;
    private static final int SHARED = 5;
    private static final long STILL = 1_000;

    private static final Pattern CROWD_OWNER = Pattern.compile("(?:\\d+ ){7}(\\S+).*");
    private static final Pattern END = Pattern.compile("(?:\\S+ \\S+ \\d )?(\\d{16})\\b.*", Pattern.DOTALL);

    /** The time, as Redis says it, and the time-out. */
    private static final String LIFE =
            "local time = redis.call('TIME') return {time[1], time[2], redis.call('PTTL', KEYS[1])}";

    private static Jedis redis;
    private static RedisLockStore store;

    private final LockKey key = LockKey.of("lifetime-" + UUID.randomUUID());
    private final LockKey other = LockKey.of("lifetime-" + UUID.randomUUID());
    private final OwnerId first = new OwnerId("client", 1);
    private final OwnerId second = new OwnerId("other", 2);
    private final OwnerId third = new OwnerId("third", 3);

    @BeforeAll
    static void open() {
        redis = TestRedis.administrator(TestRedis.shared().port());
        store = new RedisLockStore(TestRedis.jedis(TestRedis.shared().port()), TestRedis.PATIENT);
    }

    @AfterAll
    static void close() {
        store.close();
        redis.close();
    }

    @AfterEach
    void forget() {
        names().forEach(redis::del);
    }

    /** What is written last, after what was written before. */
    private record Write(String name, Consumer<KeyLifetimeTest> before, Consumer<KeyLifetimeTest> last) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Write write(String name, Consumer<KeyLifetimeTest> last) {
        return new Write(name, test -> {}, last);
    }

    private static Stream<Write> writes() {
        Consumer<KeyLifetimeTest> held = test -> test.acquire(test.first, 0, true);
        Consumer<KeyLifetimeTest> awaited = held.andThen(test -> test.acquire(test.second, 0, true));
        Consumer<KeyLifetimeTest> shared = test -> test.acquire(test.first, SHARED, true);
        Consumer<KeyLifetimeTest> reserved = awaited.andThen(test -> test.release(test.first, Duration.ZERO));
        return Stream.of(
                write("free lock", held),
                write("free lock with several tokens", test -> test.acquire(test.first, HOUR, 0, true, 64)),
                write("free semaphore", shared),
                new Write("second shared holder", shared, test -> test.acquire(test.second, 2 * HOUR, SHARED, true, 1)),
                new Write("granted again", held, test -> test.acquire(test.first, 2 * HOUR, 0, true, 64)),
                new Write("shared again", shared, test -> test.acquire(test.first, 2 * HOUR, SHARED, true, 1)),
                new Write("entry", held, test -> test.acquire(test.second, 0, true)),
                new Write(
                        "entry that outlives the holder",
                        test -> test.acquire(test.first, BRIEF, 0, true, 1),
                        test -> test.acquire(test.second, 0, true)),
                new Write("entry again", awaited, test -> test.acquire(test.second, 0, true)),
                new Write("entry given up", awaited, test -> test.acquire(test.second, 0, false)),
                new Write("reservation confirmed", reserved, test -> test.acquire(test.second, 0, true)),
                write("free locks together", test -> test.acquireTogether(HOUR, 0)),
                write("free semaphores together", test -> test.acquireTogether(HOUR, SHARED)),
                new Write(
                        "locks together again",
                        test -> test.acquireTogether(HOUR, 0),
                        test -> test.acquireTogether(2 * HOUR, 0)),
                new Write(
                        "semaphores together again",
                        test -> test.acquireTogether(HOUR, SHARED),
                        test -> test.acquireTogether(2 * HOUR, SHARED)),
                new Write("data read", held, test -> test.readData()),
                new Write("renewed", held, test -> test.renew(test.first)),
                new Write("renewed while others wait", awaited, test -> test.renew(test.first)),
                new Write("shared renewed", shared, test -> test.renew(test.first)),
                new Write("reservation renewed", reserved, test -> test.renew(test.second)),
                new Write("extended", held, test -> store.extend(Requests.renewal(test.key, test.first, 2 * HOUR))),
                new Write("released", held, test -> test.release(test.first, Duration.ZERO)),
                new Write("kept", held, test -> test.release(test.first, Duration.ofHours(2))),
                new Write("shared released", shared, test -> test.release(test.first, Duration.ZERO)),
                new Write("shared kept", shared, test -> test.release(test.first, Duration.ofHours(2))),
                new Write("passed on", awaited, test -> test.release(test.first, Duration.ZERO)),
                new Write("released by another", held, test -> test.release(test.second, Duration.ZERO)),
                new Write("released together", held, test -> test.releaseTogether(test.first, Duration.ZERO)),
                new Write("kept together", held, test -> test.releaseTogether(test.first, Duration.ofHours(2))),
                new Write("passed on together", awaited, test -> test.releaseTogether(test.first, Duration.ZERO)),
                new Write("entries kept", awaited, test -> test.keepEntries(test.second)),
                new Write("nobody's entries kept", held, test -> test.keepEntries(test.second)),
                new Write("downgraded", held, test -> test.downgrade(test.first)),
                new Write(
                        "downgraded for others",
                        held.andThen(test -> test.acquire(test.second, SHARED, true)),
                        test -> test.downgrade(test.first)),
                new Write("downgraded by another", awaited, test -> test.downgrade(test.second)),
                new Write("left", awaited, test -> test.leave(test.second, Duration.ZERO)),
                new Write("left by the holder", awaited, test -> test.leave(test.first, Duration.ZERO)),
                new Write("left for good", held, test -> test.leave(test.first, Duration.ofHours(3))),
                write("left before it came", test -> test.leave(test.first, Duration.ofHours(3))),
                new Write("forced", held, test -> store.forceRelease(test.key)),
                new Write("forced for others", awaited, test -> store.forceRelease(test.key)),
                new Write(
                        "shared forced",
                        shared.andThen(test -> test.acquire(test.third, 0, true)),
                        test -> store.forceRelease(test.key)));
    }

    @ParameterizedTest
    @MethodSource("writes")
    void key_lives_for_as_long_as_what_it_holds_and_for_the_retention_of_its_token(Write write) {
        write.before().accept(this);
        names().forEach(redis::persist);
        long before = millis(redis.time());

        write.last().accept(this);

        List<String> written = names().filter(redis::exists).toList();
        assertThat(written).isNotEmpty();
        written.forEach(name -> assertLifetime(name, before));
    }

    private static void assertLifetime(String name, long before) {
        List<?> life = (List<?>) redis.eval(LIFE, List.of(name), List.of());
        long left = (Long) life.get(2);
        long now = millis(life);
        long end = latestEnd(redis.hgetAll(name));
        assertThat(left).as("time-out").isPositive();
        assertThat(now + left)
                .as("end of the key's life")
                .isBetween(
                        Math.max(before, end) + RETENTION - STILL,
                        Math.max(now, end) + LockStore.ENTRY_TIMEOUT.toMillis() + RETENTION + STILL);
    }

    private static long latestEnd(Map<String, String> fields) {
        Matcher crowd = CROWD_OWNER.matcher(fields.getOrDefault("crowd", ""));
        boolean alone = fields.containsKey("owner") || (crowd.matches() && !".".equals(crowd.group(1)));
        return fields.entrySet().stream()
                .filter(field -> field.getKey().matches("(ticket|shared|grave):.*")
                        || (alone && field.getKey().equals("lease_end")))
                .flatMapToLong(field -> {
                    Matcher end = END.matcher(field.getValue());
                    assertThat(end.matches()).as(field.toString()).isTrue();
                    return LongStream.of(Long.parseLong(end.group(1)) / 1_000);
                })
                .max()
                .orElse(0);
    }

    private static long millis(List<?> time) {
        return Long.parseLong((String) time.get(0)) * 1_000 + Long.parseLong((String) time.get(1)) / 1_000;
    }

    private Stream<String> names() {
        return Stream.of(key, other).map(each -> "holdfast:{" + each + "}");
    }

    private void acquire(OwnerId owner, int limit, boolean waiting) {
        acquire(owner, HOUR, limit, waiting, 1);
    }

    private void acquire(OwnerId owner, long lease, int limit, boolean waiting, long tokens) {
        store.acquire(new AcquireRequest(key, owner, lease, HERE, limit, 1, false, waiting, tokens, 0, false));
    }

    private void acquireTogether(long lease, int limit) {
        store.acquireAll(Stream.of(key, other)
                .map(each -> new AcquireRequest(each, first, lease, HERE, limit, 1, false, false, 1, 0, false))
                .toList());
    }

    private void readData() {
        long token = store.inspect(key).lastFencingToken();
        store.data(new DataRequest(key, first, token, null, 0, Duration.ZERO));
    }

    private void renew(OwnerId owner) {
        store.renew(List.of(Requests.renewal(key, owner, 2 * HOUR)));
    }

    /** After a lease that is longer than the retention, so that the time-out matters. */
    private ReleaseRequest request(OwnerId owner, Duration keep) {
        return new ReleaseRequest(key, owner, keep, ReleaseRequest.ALL_TOKENS, HOUR, AcquireRequest.EXCLUSIVE);
    }

    private void release(OwnerId owner, Duration keep) {
        store.release(request(owner, keep));
    }

    private void releaseTogether(OwnerId owner, Duration keep) {
        store.releaseAll(List.of(request(owner, keep))).forEach(LockStore.Pending::await);
    }

    private void keepEntries(OwnerId... owners) {
        store.keepEntries(List.of(Requests.entries(key, Arrays.asList(owners))));
    }

    private void downgrade(OwnerId owner) {
        store.downgrade(key, owner, ReleaseRequest.ALL_TOKENS);
    }

    private void leave(OwnerId owner, Duration cancelledFor) {
        store.leave(key, owner, cancelledFor, ReleaseRequest.ALL_TOKENS);
    }
}
