package io.holdfast.lock.redis.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockSettings.ReplicaAcks;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Jedis' pool would replace a connection that is given back after its call was not answered: a second command timeout for the
 * caller, if the server hangs. Connects are counted, since time says little on a busy machine.
 */
class JedisUnansweredCallTest {

    private static final HolderInfo HERE = new HolderInfo("web-1", 1, "main");
    private static final OwnerId OWNER = new OwnerId("client", 1);
    private static final RedisLockSettings HASTY =
            RedisLockSettings.STANDARD.withCommandTimeout(Duration.ofMillis(300));

    private final LockKey key = LockKey.of("unanswered:" + UUID.randomUUID());
    private final FaultProxy proxy = new FaultProxy(TestRedis.shared().port());
    private JedisConnectionFactory applications;

    @SuppressWarnings("ImmutableEnumChecker") // the calls remember nothing
    private enum Call implements BiConsumer<RedisLockStore, LockKey> {
        ACQUIRE((store, key) -> store.acquire(Requests.exclusive(key, OWNER, 30_000, HERE, false))),
        BEGIN_ACQUIRE((store, key) -> store.beginAcquire(Requests.exclusive(key, OWNER, 30_000, HERE, false))
                .await()),
        RELEASE((store, key) -> store.release(new ReleaseRequest(key, OWNER))),
        EXTEND((store, key) -> store.extend(Requests.renewal(key, OWNER, 30_000))),
        RENEW((store, key) -> store.renew(List.of(Requests.renewal(key, OWNER, 30_000)))),
        KEEP_ENTRIES((store, key) -> store.keepEntries(List.of(Requests.entries(key, List.of(OWNER))))),
        LEAVE((store, key) -> store.leave(key, OWNER, Duration.ZERO, ReleaseRequest.ALL_TOKENS)),
        INSPECT((store, key) -> store.inspect(key));

        private final BiConsumer<RedisLockStore, LockKey> call;

        Call(BiConsumer<RedisLockStore, LockKey> call) {
            this.call = call;
        }

        @Override
        public void accept(RedisLockStore store, LockKey key) {
            call.accept(store, key);
        }
    }

    @BeforeEach
    void connect() {
        applications = TestRedis.jedis(proxy.port());
    }

    @AfterEach
    void close() {
        TestRedis.destroy(applications);
        proxy.close();
    }

    /** Each of the two pools has one connection. */
    private RedisLockStore open(RedisLockSettings settings) {
        RedisLockStore store = new RedisLockStore(applications, settings);
        List.of(Call.INSPECT, Call.KEEP_ENTRIES)
                .forEach(call -> Awaitility.await()
                        .ignoreException(LockStoreException.class)
                        .until(() -> {
                            call.accept(store, key);
                            return true;
                        }));
        return store;
    }

    @ParameterizedTest
    @EnumSource
    void call_makes_no_other_connection(Call call) {
        try (RedisLockStore store = open(HASTY)) {
            proxy.loseReplies(true);
            int connections = proxy.accepted();

            assertThatThrownBy(() -> call.accept(store, key)).isInstanceOf(LockStoreException.class);

            assertThat(proxy.accepted()).isEqualTo(connections);
        }
    }

    @ParameterizedTest
    @EnumSource
    void call_that_replicas_should_acknowledge_makes_no_other_connection_and_does_not_wait_for_them(Call call) {
        ReplicaAcks acks = new ReplicaAcks(1, Duration.ofMinutes(1));
        try (RedisLockStore store = open(HASTY.withReplicaAcks(acks))) {
            proxy.loseReplies(true);
            int connections = proxy.accepted();
            long start = System.nanoTime();

            assertThatThrownBy(() -> call.accept(store, key)).isInstanceOf(LockStoreException.class);

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(50));
            assertThat(proxy.accepted()).isEqualTo(connections);
        }
    }

    @Test
    void next_call_connects_anew() {
        try (RedisLockStore store = open(HASTY)) {
            proxy.silence();
            assertThatThrownBy(() -> store.inspect(key)).isInstanceOf(LockStoreException.class);

            Awaitility.await().ignoreException(LockStoreException.class).until(() -> store.inspect(key) != null);
        }
    }
}
