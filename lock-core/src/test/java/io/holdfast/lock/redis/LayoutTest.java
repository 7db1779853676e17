package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.DataRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.scan.StoreScan;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;

/**
 * Layout 1, field by field. Versions that run side by side during an upgrade read what the other one wrote: whoever changes
 * an assertion here changes what they may rely on, see "Upgrades" in the reference on reliability.
 */
class LayoutTest {

    private static final HolderInfo HERE = new HolderInfo("web-1", 17, "main");
    private static final LockKey KEY = LockKey.of("order:42");
    private static final String NAME = "holdfast:{order:42}";
    private static final String TIME = "1[6-9]\\d{14}|[2-9]\\d{15}";

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
    @AfterEach
    void forget() {
        redis.flushAll();
    }

    private static AcquireReply exclusive(OwnerId owner, long tokens) {
        return acquire(owner, AcquireRequest.EXCLUSIVE, false, tokens);
    }

    private static AcquireReply acquire(OwnerId owner, int limit, boolean fair, long tokens) {
        return store.acquire(new AcquireRequest(KEY, owner, 30_000, HERE, limit, 1, fair, true, tokens, 0, false));
    }

    /** Every field, and nothing else, each of its form. */
    private static void assertFields(Map<String, String> forms) {
        Map<String, String> fields = redis.hgetAll(NAME);
        assertThat(fields).containsOnlyKeys(forms.keySet());
        forms.forEach((field, form) ->
                assertThat(fields.get(field)).as(field).matches(Pattern.compile(form, Pattern.DOTALL)));
    }

    @Test
    void lock_that_is_held_alone() {
        exclusive(first, 1);

        assertFields(Map.of("owner", "client:1", "lease_end", TIME, "token", TIME, "holder", "web-1\n17\nmain"));
    }

    @Test
    void lock_whose_holder_has_reserved_tokens() {
        exclusive(first, 64);

        assertFields(Map.of("owner", "client:1", "lease_end", TIME, "token", TIME, "holder", "64\nweb-1\n17\nmain"));
    }

    @Test
    void lock_that_is_kept_for_its_minimum_time() {
        exclusive(first, 1);
        store.release(new ReleaseRequest(KEY, first, Duration.ofSeconds(5), 0, 30_000, AcquireRequest.EXCLUSIVE));

        assertFields(Map.of("owner", "-client:1", "lease_end", TIME, "token", TIME, "holder", "web-1\n17\nmain"));
    }

    private static void data(OwnerId owner, long token, byte @Nullable [] value, long number) {
        assertThat(store.data(new DataRequest(KEY, owner, token, value, number, Duration.ofHours(1))))
                .isPresent();
    }

    @Test
    void lock_with_data() {
        long token = ((AcquireReply.Granted) exclusive(first, 64)).token();

        data(first, token, null, 0);
        assertThat(redis.hget(NAME, "data")).isEqualTo(token + " 0");
        assertThat(redis.exists(NAME + ":data")).isFalse();

        data(first, token + 1, new byte[] {'a', 'b'}, 7);
        assertFields(Map.of(
                "owner",
                "client:1",
                "lease_end",
                TIME,
                "token",
                TIME,
                "holder",
                "64\nweb-1\n17\nmain",
                "data",
                (token + 1) + " 7"));
        assertThat(redis.hgetAll(NAME + ":data"))
                .containsOnlyKeys("value", "at")
                .containsEntry("value", "ab");
        assertThat(redis.hget(NAME + ":data", "at")).matches(TIME);
        assertThat(redis.pttl(NAME + ":data")).isBetween(3_500_000L, 3_600_000L);
    }

    @Test
    void lock_whose_field_for_data_cannot_be_read_has_data_all_the_same() {
        long token = ((AcquireReply.Granted) exclusive(first, 1)).token();
        redis.hset(NAME, "data", "something else");

        data(first, token, new byte[] {'a'}, 1);

        assertThat(redis.hget(NAME, "data")).isEqualTo(token + " 1");
    }

    @Test
    void data_that_something_else_has_written_is_a_failure() {
        redis.hset(NAME + ":data", Map.of("value", "ab", "at", "yesterday"));

        assertThatThrownBy(() -> store.data(DataRequest.read(KEY)))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("something");
    }

    @Test
    void lock_that_is_free() {
        exclusive(first, 1);
        store.release(new ReleaseRequest(KEY, first));

        assertFields(Map.of("lease_end", TIME, "token", TIME, "holder", "web-1\n17\nmain"));
    }

    @Test
    void queue() {
        exclusive(first, 1);
        acquire(second, AcquireRequest.EXCLUSIVE, true, 1);

        assertFields(Map.of(
                "lease_end",
                TIME,
                "token",
                TIME,
                "holder",
                "web-1\n17\nmain",
                "crowd",
                "1 1 1 1 0 0 0 client:1",
                "seat:other:2",
                "1",
                "ticket:1",
                "other:2 0 1 (" + TIME + ") 1 0\nweb-1\n17\nmain"));
    }

    @Test
    void reservation() {
        exclusive(first, 1);
        exclusive(second, 4);
        store.release(new ReleaseRequest(KEY, first));

        assertFields(Map.of(
                "lease_end",
                TIME,
                "token",
                TIME,
                "holder",
                "4\nweb-1\n17\nmain",
                "crowd",
                "2 1 0 0 0 1 0 other:2",
                "seat:other:2",
                "1",
                "ticket:1",
                "other:2 0 0 (" + TIME + ") 4 1\nweb-1\n17\nmain"));
    }

    @Test
    void shared_holders() {
        acquire(first, 5, false, 1);
        acquire(second, 5, false, 1);

        String hold = "(" + TIME + ") (" + TIME + ")\nweb-1\n17\nmain";
        assertFields(Map.of(
                "token",
                TIME,
                "crowd",
                "1 0 0 0 0 0 0 . 2 (" + TIME + ") (" + TIME + ")",
                "shared:client:1",
                hold,
                "shared:other:2",
                hold,
                "reader",
                "other:2"));
    }

    @Test
    void cancelled_owner() {
        exclusive(first, 1);
        store.leave(KEY, first, Duration.ofSeconds(30), ReleaseRequest.ALL_TOKENS);

        assertFields(Map.of(
                "lease_end",
                TIME,
                "token",
                TIME,
                "holder",
                "web-1\n17\nmain",
                "crowd",
                "1 0 0 0 0 0 (" + TIME + ") .",
                "grave:client:1",
                TIME,
                "prune_at",
                TIME));
    }

    @Test
    void messages() throws InterruptedException {
        BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        JedisPubSub listener = new JedisPubSub() {
            @Override
            public void onMessage(String channel, String message) {
                messages.add(channel + ' ' + message);
            }

            @Override
            public void onSubscribe(String channel, int count) {
                messages.add("subscribed");
            }
        };
        Thread listening = new Thread(() -> {
            try (Jedis own = TestRedis.administrator(server.port())) {
                own.subscribe(listener, "holdfast:wake:client", "holdfast:wake:other");
            }
        });
        listening.start();
        assertThat(next(messages)).isEqualTo("subscribed");
        assertThat(next(messages)).isEqualTo("subscribed");

        exclusive(first, 64);
        exclusive(second, 4);
        store.release(new ReleaseRequest(KEY, first));

        assertThat(next(messages)).isEqualTo("holdfast:wake:client awaited 1 1");
        assertThat(next(messages))
                .matches("holdfast:wake:other granted 2 (" + TIME + ") 4 (" + TIME + ") (" + TIME + ") 0");
        listener.unsubscribe();
        listening.join();
    }

    private static String next(BlockingQueue<String> messages) throws InterruptedException {
        return messages.poll(30, TimeUnit.SECONDS);
    }

    /** What a later version of the same layout may add. */
    @Test
    void unknown_fields_are_left_alone() {
        Map<String, String> unknown = Map.of("zone", "eu", "entry", "7", "shared", "1", "ticket:", "x", "graves", "2");
        redis.hset(NAME, unknown);

        exclusive(first, 1);
        exclusive(second, 1);
        assertThat(store.renew(List.of(Requests.renewal(KEY, first, 30_000)))).containsOnly(new RenewReply.Renewed());
        store.release(new ReleaseRequest(KEY, first));
        assertThat(exclusive(second, 1)).isInstanceOf(AcquireReply.Granted.class);
        store.leave(KEY, second, Duration.ofMillis(1), ReleaseRequest.ALL_TOKENS);
        acquire(new OwnerId("third", 3), 2, false, 1);
        assertThat(store.inspect(KEY).holders()).hasSize(1);
        assertThat(store.forceRelease(KEY)).hasSize(1);

        assertThat(redis.hgetAll(NAME)).containsAllEntriesOf(unknown);
    }

    private static Map<String, String> laterLayout() {
        Map<String, String> lock = new HashMap<>();
        lock.put("token", "9000000000000000");
        lock.put("crowd", "2/whatever it may be");
        redis.hset(NAME, lock);
        return lock;
    }

    @Test
    void lock_of_a_later_layout_is_refused_and_left_as_it_is() {
        Map<String, String> later = laterLayout();

        assertThatThrownBy(() -> exclusive(first, 1))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContainingAll(
                        "LAYOUT 2 of lock holdfast:{order:42}", "Upgrade Holdfast in this application");
        assertThatThrownBy(() -> acquire(first, 3, false, 1)).isInstanceOf(LockStoreException.class);
        assertThat(store.acquireAll(List.of(Requests.exclusive(KEY, first, 30_000, HERE, false))))
                .isInstanceOf(AcquireAllReply.OneByOne.class);
        assertThatThrownBy(() -> store.release(new ReleaseRequest(KEY, first))).isInstanceOf(LockStoreException.class);
        assertThatThrownBy(() -> store.leave(KEY, first, Duration.ZERO, ReleaseRequest.ALL_TOKENS))
                .isInstanceOf(LockStoreException.class);
        assertThatThrownBy(() -> store.forceRelease(KEY)).isInstanceOf(LockStoreException.class);
        assertThatThrownBy(() -> store.inspect(KEY)).isInstanceOf(LockStoreException.class);
        assertThat(store.renew(List.of(Requests.renewal(KEY, first, 30_000))))
                .allSatisfy(reply -> assertThat(reply).isInstanceOf(RenewReply.Failed.class));
        assertThat(redis.hgetAll(NAME)).isEqualTo(later);
    }

    /** Without a crowd, as every free lock is in any layout. */
    @Test
    void free_lock_of_a_later_layout_is_granted_with_a_greater_token() {
        redis.hset(NAME, Map.of("token", "9000000000000000", "later", "2/whatever it may be"));

        assertThat(exclusive(first, 1))
                .isInstanceOfSatisfying(
                        AcquireReply.Granted.class,
                        granted -> assertThat(granted.token()).isEqualTo(9_000_000_000_000_001L));
    }

    @Test
    void lock_of_a_later_layout_costs_no_other_lock_its_renewal() {
        laterLayout();
        LockKey other = LockKey.of("order:43");
        store.acquire(
                new AcquireRequest(other, second, 30_000, HERE, AcquireRequest.EXCLUSIVE, 1, false, true, 1, 0, false));

        List<RenewReply> replies =
                store.renew(List.of(Requests.renewal(KEY, first, 30_000), Requests.renewal(other, second, 30_000)));

        assertThat(replies.get(1)).isEqualTo(new RenewReply.Renewed());
        assertThat(store.release(new ReleaseRequest(other, second))).isEqualTo(ReleaseReply.RELEASED);
    }

    /** As a mock of Redis answers whose Lua is incomplete, or after somebody else has written there. */
    @ParameterizedTest
    @ValueSource(strings = {"nonsense", "", "1 0 0 0 0 0 0", "1 0 0 0 0 0 0 . 1 2"})
    void lock_that_cannot_be_read_is_refused_with_what_was_read(String crowd) {
        redis.hset(NAME, "crowd", crowd);

        assertThatThrownBy(() -> exclusive(first, 1))
                .isInstanceOf(LockStoreException.class)
                .message()
                .contains("LAYOUT unknown of lock holdfast:{order:42}: its crowd is '" + crowd + "'")
                .endsWith("Something else writes under the key prefix, or the server is a mock of Redis whose Lua is"
                        + " incomplete. Tests can use a real Redis, or locks in memory (@AutoConfigureTestLocks).")
                .doesNotContain("later version");
        assertThat(redis.hget(NAME, "crowd")).isEqualTo(crowd);
    }

    /** As after somebody has deleted fields. The last one has lost the only one of its entries that was alive. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "1 5 5 0 0 0 0 .",
                "1 5 5 5 0 0 0 .",
                "6 5 1 0 0 0 0 .",
                "1 900000000 2 0 0 0 0 .",
                "1 5 2 0 0 1 0 ."
            })
    void entries_that_are_counted_but_missing_do_not_block_the_lock(String crowd) {
        Consumer<Runnable> damaged = call -> {
            redis.del(NAME);
            redis.hset(NAME, Map.of("crowd", crowd, "token", "5"));
            redis.pexpire(NAME, 60_000);
            assertThat(scanned()).isEmpty();
            call.run();
        };

        damaged.accept(() -> assertThat(single(first)).isInstanceOf(AcquireReply.Granted.class));
        damaged.accept(() -> assertThat(exclusive(first, 1)).isInstanceOf(AcquireReply.Granted.class));
        damaged.accept(() -> assertThat(acquire(first, 3, true, 1)).isInstanceOf(AcquireReply.Granted.class));
        damaged.accept(() -> assertThat(store.acquireAll(List.of(Requests.exclusive(KEY, first, 30_000, HERE, false))))
                .isInstanceOf(AcquireAllReply.Granted.class));
        damaged.accept(() -> {
            store.leave(KEY, second, Duration.ZERO, ReleaseRequest.ALL_TOKENS);
            assertThat(single(first)).isInstanceOf(AcquireReply.Granted.class);
        });
    }

    @Test
    void entries_that_are_counted_but_missing_do_not_keep_the_key_alive() {
        exclusive(first, 1);
        redis.hset(NAME, "crowd", "1 5 5 0 0 0 0 client:1");
        store.release(new ReleaseRequest(KEY, first, Duration.ZERO, 0, Long.MAX_VALUE, AcquireRequest.EXCLUSIVE));

        assertThat(redis.hget(NAME, "crowd")).isNull();
    }

    @Test
    void fair_entries_that_are_counted_but_missing_are_not_reported_to_holders() {
        redis.hset(NAME, Map.of("crowd", "1 5 5 5 0 0 0 .", "token", "5"));
        acquire(first, 3, false, 1);
        exclusive(second, 1);

        assertThat(acquire(first, 3, false, 1))
                .isInstanceOfSatisfying(
                        AcquireReply.Granted.class,
                        granted -> assertThat(granted.waiters()).isEqualTo(Waiters.UNFAIR));
    }

    private AcquireReply single(OwnerId owner) {
        return store.acquire(Requests.exclusive(KEY, owner, 30_000, HERE, false));
    }

    private static List<LockStatus> scanned() {
        StoreScan scan = store.openScan("").orElseThrow();
        while (scan.step()) {
            assertThat(scan.isComplete()).isTrue();
        }
        return scan.found();
    }
}
