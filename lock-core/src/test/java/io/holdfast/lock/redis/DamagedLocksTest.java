package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockScan;
import io.holdfast.lock.api.LockScanRequest;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.Followers;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.scan.StoreScan;
import io.holdfast.lock.testing.CapturedLog;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

/** Locks whose fields something else has overwritten: they are counted, the others are listed, and force releases them. */
class DamagedLocksTest {

    private static final HolderInfo HERE = new HolderInfo("web-1", 17, "main");
    private static final LockKey KEY = LockKey.of("bad");
    private static final String NAME = "holdfast:{bad}";
    private static final int GOOD = 5;

    private static final List<String> JUNK = List.of(
            "",
            " ",
            "\n",
            "x",
            "0",
            "-1",
            "1",
            "none",
            "a:1",
            "nocolon",
            "a b:1",
            "a:1:2",
            "h\n1\nt\nextra",
            "h",
            "h\nx\nt",
            "h\n99999999999999999999\nt",
            "64\nh\n1\nt",
            "99999999999999999999\nh\n1\nt",
            "9999999999999999",
            "99999999999999999999999999999",
            "1e400",
            "nan",
            "inf",
            "0x10",
            "1 5 5 0 0 0 0 .",
            "1 0 0 0 0 0 1 a:1",
            "1 1 1 0 0 1 0 a:1",
            "1 1 9 0 0 0 0 . 3 1 2",
            "99999999999 1 99999999999 0 0 0 0 .",
            "5 99999999999999999999",
            "a:1 99999999999 0",
            "a:1 0 0 0 9999999999999999 1 0\nh\n1\nt",
            "\u0000\u0001\u2028");

    private static RedisServerProcess server;
    private static Jedis redis;
    private static RedisLockStore store;

    private final OwnerId first = new OwnerId("client", 1);
    private final OwnerId second = new OwnerId("other", 2);

    @BeforeAll
    static void open() {
        server = RedisServerProcess.start();
        redis = new Jedis("127.0.0.1", server.port(), 5000);
        store = new RedisLockStore(TestRedis.jedis(server.port()), TestRedis.PATIENT);
    }

    @AfterAll
    static void close() {
        store.close();
        redis.close();
        server.close();
    }

    @BeforeEach
    void goodLocks() {
        redis.flushAll();
        IntStream.range(0, GOOD).forEach(i -> acquire(LockKey.of("good:" + i), new OwnerId("alice", i), 0, false, 1));
    }

    private static AcquireReply acquire(LockKey key, OwnerId owner, int limit, boolean waiting, long tokens) {
        return store.acquire(new AcquireRequest(key, owner, 30_000, HERE, limit, 1, false, waiting, tokens, 0, false));
    }

    private static LockScan scan() {
        StoreScan scan = store.openScan("").orElseThrow();
        boolean more = true;
        while (more) {
            more = scan.step();
        }
        return new LockScan(scan.found(), scan.isComplete(), scan.unreadable().size());
    }

    private static void write(String owner, String token, String holder) {
        redis.hset(
                NAME,
                Map.of(
                        "owner",
                        owner,
                        "lease_end",
                        "9999999999999999",
                        "token",
                        token,
                        "holder",
                        holder.replace('|', '\n')));
    }

    @ParameterizedTest
    @CsvSource({
        "a:1, 5, 'h|1|t|extra'",
        "a:1, 5, h",
        "a:1, 5, 'h|1'",
        "a:1, 5, 'h|x|t'",
        "a:1, 5, 'h||t'",
        "a:1, 5, 'h|9999999999999999999|t'",
        "'a b:1', 5, 'h|1|t'",
        "nocolon, 5, 'h|1|t'",
        "a:x, 5, 'h|1|t'",
        "a:1, 0, 'h|1|t'",
        "a:1, -5, 'h|1|t'",
        "a:1, none, 'h|1|t'",
        "a:1, 99999999999999999999, 'h|1|t'"
    })
    void one_damaged_lock_does_not_hide_the_others(String owner, String token, String holder) {
        write(owner, token, holder);

        LockScan scan = scan();

        assertThat(scan.locks()).hasSize(GOOD);
        assertThat(scan.unreadable()).isOne();
        assertThat(scan.complete()).isTrue();
        assertThatThrownBy(() -> store.inspect(KEY))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("LAYOUT unknown of this lock; it can be released by force: ")
                .hasMessageContaining("Something else writes under the key prefix");
        List<LockHolder> former = store.forceRelease(KEY);
        assertThat(former).extracting(LockHolder::host).containsExactly("unknown");
        assertThat(acquire(KEY, first, 0, false, 1)).isInstanceOf(AcquireReply.Granted.class);
        assertThat(scan().locks()).hasSize(GOOD + 1);
        assertThat(scan().unreadable()).isZero();
    }

    @Test
    void damaged_lock_is_still_held() {
        write("a:1", "5", "h");

        assertThat(acquire(KEY, first, 0, false, 1))
                .isInstanceOfSatisfying(
                        AcquireReply.Held.class,
                        held -> assertThat(held.holder()).isEmpty());
    }

    @Test
    void holder_that_is_damaged_is_notified_of_a_forced_release_and_waiters_keep_their_order() {
        acquire(KEY, first, 0, false, 1);
        acquire(KEY, second, 0, true, 1);
        redis.hset(NAME, "holder", "h");

        assertThat(store.forceRelease(KEY)).hasSize(1);

        assertThat(store.inspect(KEY).holders())
                .extracting(LockHolder::clientId)
                .containsExactly("other");
    }

    @Test
    void layout_of_a_later_version_is_neither_read_nor_released() {
        redis.hset(NAME, Map.of("crowd", "2/anything", "token", "7"));

        assertThat(scan().unreadable()).isOne();
        assertThatThrownBy(() -> store.inspect(KEY)).hasMessageContaining("Upgrade Holdfast");
        assertThatThrownBy(() -> store.forceRelease(KEY)).hasMessageContaining("Upgrade Holdfast");
        assertThat(redis.hget(NAME, "crowd")).isEqualTo("2/anything");
    }

    @Test
    void tokens_go_on_after_a_forced_release_of_what_cannot_be_read() {
        redis.hset(NAME, Map.of("crowd", "nonsense", "token", "9000000000000000"));

        store.forceRelease(KEY);

        assertThat(acquire(KEY, first, 0, false, 1))
                .isInstanceOfSatisfying(
                        AcquireReply.Granted.class,
                        granted -> assertThat(granted.token()).isEqualTo(9_000_000_000_000_001L));
        assertThat(redis.pttl(NAME)).isPositive();
    }

    @Test
    void entries_without_tickets_hide_no_other_lock() {
        redis.hset(NAME, Map.of("crowd", "1 5 5 0 0 0 0 .", "token", "7"));

        LockScan scan = scan();

        assertThat(scan.locks()).hasSize(GOOD);
        assertThat(scan.unreadable()).isOne();
    }

    @Test
    void damage_is_logged_once_with_the_keys() {
        write("a:1", "5", "h");
        try (CapturedLog log = new CapturedLog("io.holdfast.lock", Level.WARN);
                LockEngine engine = LockEngine.builder(store).build();
                LockEngine masking = LockEngine.builder(store).maskKeys(true).build()) {
            engine.scan(LockScanRequest.ALL);
            engine.scan(LockScanRequest.ALL);
            masking.scan(LockScanRequest.ALL);

            assertThat(log.events()).hasSize(2);
            assertThat(log.events().get(0).getFormattedMessage())
                    .isEqualTo(
                            "Locks that cannot be read, because something else has changed them in Redis: [bad]. Release"
                                    + " them by force.");
            assertThat(log.events().get(1).getFormattedMessage())
                    .contains("[sha256:")
                    .doesNotContain("bad");
        }
    }

    enum Kind {
        EXCLUSIVE,
        SEMAPHORE,
        QUEUE,
        SHARED_QUEUE,
        RESERVED,
        COHORT,
        MIN_HOLD,
        CANCELLED
    }

    private void make(Kind kind) {
        redis.del(NAME);
        boolean shared = kind == Kind.SEMAPHORE || kind == Kind.SHARED_QUEUE;
        acquire(KEY, first, shared ? 3 : 0, false, kind == Kind.COHORT ? 64 : 1);
        Followers followers = new Followers(7, Duration.ofMinutes(1));
        switch (kind) {
            case EXCLUSIVE, COHORT ->
                store.renew(List.of(new RenewRequest(KEY, first, 30_000, AcquireRequest.EXCLUSIVE, followers)));
            case SEMAPHORE -> acquire(KEY, second, 3, false, 1);
            case QUEUE, SHARED_QUEUE, RESERVED -> {
                acquire(KEY, second, 0, true, 1);
                store.keepEntries(List.of(new EntryRequest(KEY, List.of(second), Map.of(second, followers))));
                acquire(KEY, new OwnerId("third", 3), 3, true, 1);
                if (kind == Kind.RESERVED) {
                    store.release(new ReleaseRequest(KEY, first));
                }
            }
            case MIN_HOLD ->
                store.release(
                        new ReleaseRequest(KEY, first, Duration.ofSeconds(20), 0, 30_000, AcquireRequest.EXCLUSIVE));
            case CANCELLED -> store.leave(KEY, second, Duration.ofMinutes(1), 0);
        }
    }

    private static String damaged(String value, Random random) {
        int at = random.nextInt(value.length() + 1);
        String junk = JUNK.get(random.nextInt(JUNK.size()));
        return switch (random.nextInt(4)) {
            case 0 -> value.substring(0, at);
            case 1 -> value.substring(0, at) + junk + value.substring(at);
            case 2 -> value.substring(at);
            default -> junk;
        };
    }

    @ParameterizedTest
    @EnumSource
    void no_damage_hides_other_locks_or_survives_a_forced_release(Kind kind) {
        make(kind);
        Map<String, String> sound = redis.hgetAll(NAME);
        for (int seed = 0; seed < 150; seed++) {
            Random random = new Random(seed);
            Map<String, String> fields = new HashMap<>(sound);
            String field = List.copyOf(sound.keySet()).get(seed % sound.size());
            if (random.nextInt(10) == 0) {
                fields.remove(field);
            } else {
                fields.computeIfPresent(field, (same, value) -> damaged(value, random));
            }
            redis.del(NAME);
            redis.hset(NAME, fields);
            String what = "seed " + seed + ": " + field + " is '" + fields.get(field) + "'";

            LockScan scan = scan();
            assertThat(scan.locks())
                    .as(what)
                    .filteredOn(lock -> lock.key().value().startsWith("good:"))
                    .hasSize(GOOD);
            assertThat(scan.locks().size() + scan.unreadable()).as(what).isBetween(GOOD, GOOD + 1);
            if (scan.unreadable() == 1) {
                assertThatThrownBy(() -> store.inspect(KEY)).as(what).isInstanceOf(LockStoreException.class);
            } else {
                LockStatus status = store.inspect(KEY);
                assertThat(status.isHeld() || status.waiters() > 0)
                        .as(what)
                        .isEqualTo(scan.locks().size() > GOOD);
            }
            if (!String.valueOf(fields.get("crowd")).matches("\\d+/.*")) {
                store.forceRelease(KEY);
                assertThat(scan().unreadable())
                        .as(what + ", then released by force")
                        .isZero();
            }
        }
    }
}
