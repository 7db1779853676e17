package io.holdfast.lock.redis.driver.jedis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import redis.clients.jedis.Jedis;

/**
 * A connection on which there is an answer that nobody waits for breaks, or falls silent, at any byte: that answer is told once, and
 * the call behind it gets its own.
 */
class JedisUnreadAnswersTest {

    /** Of the answers of a release and an acquisition. */
    private static final int BYTES = 38;

    private static final String FAILED = "failed";
    private static final HolderInfo HERE = new HolderInfo("web-1", 1, "main");

    private final String key = "unread:" + UUID.randomUUID() + ":";
    private final BrokenProxy proxy = new BrokenProxy(TestRedis.shared().port());
    private final JedisConnectionFactory applications = TestRedis.jedis(proxy.port());
    private RedisLockStore store = new RedisLockStore(applications, TestRedis.PATIENT);
    private final List<String> told = new CopyOnWriteArrayList<>();
    private int sequence;

    @AfterEach
    void close() {
        store.close();
        TestRedis.destroy(applications);
        proxy.close();
    }

    /** The client knows then that the server knows the scripts. */
    @BeforeEach
    void connect() {
        Held held = acquire();
        store.release(new ReleaseRequest(held.key(), held.owner()));
    }

    /** For a server that does not answer. */
    private void hurry() {
        store.close();
        store = new RedisLockStore(applications, RedisLockSettings.STANDARD.withCommandTimeout(Duration.ofSeconds(2)));
        connect();
    }

    private record Held(LockKey key, OwnerId owner, long token) {}

    /** Whoever waits for an answer that does not come has a failure; one whose connection breaks is sent again. */
    private Held acquire() {
        LockKey own = LockKey.of(key + ++sequence);
        OwnerId owner = new OwnerId("client", sequence);
        AcquireReply reply = store.acquire(Requests.exclusive(own, owner, 30_000, HERE, false));
        return new Held(own, owner, ((AcquireReply.Granted) reply).token());
    }

    private boolean send(Held held) {
        return store.sendRelease(new ReleaseRequest(held.key(), held.owner()), this::tell);
    }

    private void tell(LockStore.Pending<ReleaseReply> reply) {
        try {
            told.add(reply.await().toString());
        } catch (LockStoreException e) {
            told.add(FAILED);
        }
    }

    private void awaitTold(int number) {
        Awaitility.await().until(() -> told.size() >= number);
        assertThat(told).hasSize(number);
    }

    private void isTrue(Held held) {
        assertThat(store.inspect(held.key()).holder().orElseThrow().fencingToken())
                .isEqualTo(held.token());
    }

    @Test
    void answer_is_read_with_that_of_the_next_call() {
        for (int i = 1; i <= 100; i++) {
            assertThat(send(acquire())).isTrue();
            isTrue(acquire());
            awaitTold(i);
        }
        assertThat(told).containsOnly(ReleaseReply.RELEASED.toString());
    }

    /** Its text would have to be sent then, after the answer. */
    @Test
    void first_release_is_waited_for_since_the_server_may_not_know_the_script() {
        try (RedisLockStore fresh = new RedisLockStore(applications, TestRedis.PATIENT)) {
            ReleaseRequest request = new ReleaseRequest(LockKey.of(key), new OwnerId("client", 1));

            assertThat(fresh.sendRelease(request, reply -> {})).isFalse();
            fresh.release(request);
            assertThat(fresh.sendRelease(request, reply -> {})).isTrue();
        }
    }

    /** Each would fail, and leave the lock. */
    @Test
    void releases_are_waited_for_again_after_the_server_forgot_the_script() {
        Held held = acquire();
        try (Jedis redis = new Jedis("127.0.0.1", TestRedis.shared().port())) {
            redis.scriptFlush();
        }
        assertThat(send(held)).isTrue();
        isTrue(acquire());
        awaitTold(1);
        assertThat(told).containsOnly(FAILED);

        assertThat(send(held)).isFalse();
        assertThat(store.release(new ReleaseRequest(held.key(), held.owner()))).isEqualTo(ReleaseReply.RELEASED);
        assertThat(send(acquire())).isTrue();
    }

    @Test
    void cut_at_any_byte() {
        run(false, 1);
    }

    @Test
    @Tag("full")
    void silent_from_any_byte() {
        hurry();
        run(true, 9);
    }

    private void run(boolean silently, int step) {
        int times = 0;
        for (int bytes = 0; bytes < BYTES; bytes += step) {
            Held held = acquire();
            proxy.breakAfter(bytes, silently);

            assertThat(send(held)).isTrue();
            try {
                isTrue(acquire());
            } catch (LockStoreException e) {
                assertThat(silently).isTrue();
            }
            isTrue(acquire()); // in step again
            awaitTold(++times);
        }
        assertThat(proxy.broken()).isEqualTo(times);
        assertThat(told).containsOnly(FAILED, ReleaseReply.RELEASED.toString());
    }

    /** What no call takes is read all the same, also long after the last one. */
    @Test
    void silent_server_is_told_of_when_the_time_is_over() {
        hurry();
        Held held = acquire();
        proxy.breakAfter(0, true);

        assertThat(send(held)).isTrue();

        awaitTold(1);
        assertThat(told).containsExactly(FAILED);
    }
}
