package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.DocumentedUser;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;

/** A server that was started without its data. */
@ParameterizedClass
@EnumSource(TestRedis.Client.class)
class RejoiningTest {

    private static final Duration LONG = Duration.ofHours(10);
    private static final String NOTE = "holdfast:joined";

    @Parameter
    private TestRedis.Client client;

    private final RedisServerProcess server = RedisServerProcess.start();
    private final Jedis redis = TestRedis.administrator(server.port());
    private RedisConnectionFactory connections;
    private RedisLockStore store;

    @BeforeEach
    void open() {
        permit();
        connections = client.connect(server.port(), DocumentedUser.NAME, DocumentedUser.PASSWORD);
        store = open(LONG);
    }

    /** Servers keep no users here. */
    private void permit() {
        try (Jedis administrator = TestRedis.administrator(server.port())) {
            DocumentedUser.permit(administrator, DocumentedUser.rules("in a quorum"));
        }
    }

    private RedisLockStore open(Duration delay) {
        return new RedisLockStore(connections, TestRedis.PATIENT.withRejoinDelay(delay));
    }

    @AfterEach
    void close() {
        store.close();
        TestRedis.destroy(connections);
        redis.close();
        server.close();
    }

    private static AcquireReply acquire(RedisLockStore from, String key) {
        return from.acquire(Requests.exclusive(
                LockKey.of(key), new OwnerId("alice", 1), 30_000, new HolderInfo("web-1", 1, "main"), false));
    }

    @Test
    void server_that_was_just_started_grants_no_lock_and_says_for_how_long() {
        assertThatThrownBy(() -> acquire(store, "order:42"))
                .isInstanceOfSatisfying(
                        LockStoreException.class,
                        refusal -> assertThat(refusal.outcomeUnknown()).isFalse())
                .hasMessageContaining("restarted recently")
                .hasMessageContaining("rejoin-delay");
    }

    @Test
    void server_grants_locks_again_when_it_has_run_for_long_enough() {
        Duration delay = Duration.ofSeconds(2);
        try (RedisLockStore soon = open(delay)) {
            Awaitility.await()
                    .atMost(1, TimeUnit.MINUTES)
                    .ignoreException(LockStoreException.class)
                    .until(() -> acquire(soon, "order:42") instanceof AcquireReply.Granted);
        }
        assertThat(Long.parseLong(
                        redis.info("server").split("uptime_in_seconds:")[1].split("\\s")[0]))
                .isGreaterThanOrEqualTo(delay.toSeconds());
    }

    @Test
    void server_that_has_been_running_for_long_is_asked_once_for_how_long() {
        redis.set(NOTE, "1");

        assertThat(acquire(store, "order:42")).isInstanceOf(AcquireReply.Granted.class);
        assertThat(redis.pttl(NOTE)).isEqualTo(-1);
    }

    /** Ten hours of those who held locks before may take 6 minutes more than ten hours of the server. */
    @Test
    void server_waits_for_holders_whose_clocks_are_slow_by_a_hundredth() {
        joined(LONG.plusSeconds(30));
        assertThatThrownBy(() -> acquire(store, "order:42"))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("restarted recently");

        joined(LONG.plusSeconds(361));
        assertThat(acquire(store, "order:42")).isInstanceOf(AcquireReply.Granted.class);
    }

    private void joined(Duration ago) {
        List<String> time = redis.time();
        long micros = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
        redis.set(NOTE, String.valueOf(micros - ago.toSeconds() * 1_000_000));
    }

    @Test
    void note_goes_away_by_itself() {
        assertThatThrownBy(() -> acquire(store, "order:42")).isInstanceOf(LockStoreException.class);

        assertThat(redis.pttl(NOTE)).isBetween(1L, Duration.ofMinutes(10).toMillis());
    }

    @Test
    void lock_that_the_server_knows_is_granted() {
        redis.set(NOTE, "1");
        assertThat(acquire(store, "order:42")).isInstanceOf(AcquireReply.Granted.class);
        store.release(new ReleaseRequest(LockKey.of("order:42"), new OwnerId("alice", 1)));
        redis.del(NOTE);

        assertThat(acquire(store, "order:42")).isInstanceOf(AcquireReply.Granted.class);
        assertThatThrownBy(() -> acquire(store, "order:43")).isInstanceOf(LockStoreException.class);
    }

    @Test
    void server_that_lost_its_data_waits_again() {
        redis.set(NOTE, "1");
        assertThat(acquire(store, "order:42")).isInstanceOf(AcquireReply.Granted.class);
        server.kill();
        server.startAgain();
        permit();

        assertThatThrownBy(() -> acquire(store, "order:42"))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("restarted recently");
    }
}
