package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;

/** A reply is lost with its connection, and the call is sent again: by us, or by a driver that does not say so. */
@ParameterizedClass
@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DEDICATED_LIKE_LETTUCE")
class RepeatedCallsTest {

    private static final Duration TIMEOUT = TestRedis.PATIENT.commandTimeout();
    private static final HolderInfo HERE = new HolderInfo("web-1", 1, "main");
    private static RedisServerProcess node;

    @Parameter
    private ConnectionKind kind;

    private final LockKey key = LockKey.of("repeated:" + UUID.randomUUID());
    private final OwnerId holder = new OwnerId("holder" + System.nanoTime(), 1);
    private final OwnerId waiter = new OwnerId("waiter" + System.nanoTime(), 1);
    private FaultProxy proxy;
    private RedisConnectionFactory direct;
    private RedisLockStore observer;
    private RedisConnectionFactory applications;
    private RedisLockStore store;

    /** A cluster of one node. */
    @BeforeAll
    static void start() {
        node = RedisServerProcess.start("--cluster-enabled", "yes");
        try (Jedis jedis = TestRedis.administrator(node.port())) {
            jedis.clusterAddSlots(IntStream.range(0, 16_384).toArray());
            Awaitility.await().until(() -> jedis.clusterInfo().contains("cluster_state:ok"));
        }
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void open() {
        int port = port();
        ConnectionKind past = kind.isCluster() ? ConnectionKind.DEDICATED_CLUSTER : ConnectionKind.DEDICATED;
        direct = past.connect(port, TIMEOUT);
        observer = new RedisLockStore(direct, past.settings(TIMEOUT));
        proxy = new FaultProxy(port);
        announce(proxy.port());
        applications = kind.connect(proxy.port(), TIMEOUT);
        store = new RedisLockStore(applications, kind.settings(TIMEOUT));
        loadScripts();
        store.acquire(Requests.exclusive(key, holder, 60_000, HERE, false));
    }

    private static void announce(int port) {
        try (Jedis jedis = TestRedis.administrator(node.port())) {
            jedis.configSet("cluster-announce-port", String.valueOf(port));
        }
    }

    /** Otherwise the reply that is lost says that the script is unknown. */
    private void loadScripts() {
        store.release(new ReleaseRequest(key, holder));
        store.releaseAll(List.of(new ReleaseRequest(key, holder))).forEach(LockStore.Pending::await);
        store.downgrade(key, holder, ReleaseRequest.ALL_TOKENS);
        store.forceRelease(key);
    }

    @AfterEach
    void close() {
        store.close();
        observer.close();
        TestRedis.destroy(applications);
        TestRedis.destroy(direct);
        proxy.close();
    }

    /** The server carries the call out, and the reply is lost with the connection. */
    private <T> T withoutFirstReply(Supplier<T> call, BooleanSupplier carriedOut) throws Exception {
        proxy.loseReplies(true);
        CompletableFuture<T> reply = NewThread.start(call);
        Awaitility.await().until(carriedOut::getAsBoolean);
        proxy.loseReplies(false);
        proxy.cut();
        return reply.get();
    }

    @Test
    void release_that_was_carried_out_is_not_a_loss() throws Exception {
        ReleaseReply reply = withoutFirstReply(
                () -> store.release(new ReleaseRequest(key, holder)),
                () -> observer.inspect(key).holders().isEmpty());

        assertThat(reply).isEqualTo(ReleaseReply.GONE);
    }

    @Test
    void releases_that_were_carried_out_together_are_not_losses() throws Exception {
        LockKey other = LockKey.of(key + ":other");
        store.acquire(Requests.exclusive(other, holder, 60_000, HERE, false));

        List<ReleaseReply> replies =
                withoutFirstReply(
                        () -> store
                                .releaseAll(List.of(new ReleaseRequest(key, holder), new ReleaseRequest(other, holder)))
                                .stream()
                                .map(LockStore.Pending::await)
                                .toList(),
                        () -> observer.inspect(key).holders().isEmpty());

        assertThat(replies).doesNotContain(ReleaseReply.NOT_HOLDER);
    }

    @Test
    void downgrade_that_was_carried_out_is_not_a_loss() throws Exception {
        ReleaseReply reply = withoutFirstReply(
                () -> store.downgrade(key, holder, ReleaseRequest.ALL_TOKENS),
                () -> isHeldBy(holder)
                        && observer.inspect(key).holder().orElseThrow().mode() == LockMode.SHARED);

        assertThat(reply).isEqualTo(ReleaseReply.RELEASED);
    }

    /** It is known that the second of two downgrades finds the hold of the first one. */
    @Test
    void downgrade_of_a_lock_that_is_not_held_is_a_loss() {
        assertThat(store.downgrade(key, waiter, ReleaseRequest.ALL_TOKENS)).isEqualTo(ReleaseReply.NOT_HOLDER);
    }

    /** A factory reveals only in a connection that it leads to a cluster, whose driver repeats calls. */
    @Test
    void forced_release_carries_what_makes_a_repeat_harmless_even_if_it_is_the_first_call() {
        try (RedisLockStore fresh = new RedisLockStore(applications, kind.settings(TIMEOUT));
                Jedis server = TestRedis.administrator(port())) {
            fresh.forceRelease(LockKey.of(key + ":first"));

            assertThat(server.keys("holdfast:{" + key + ":first}:forced:*")).hasSize(repeats() ? 1 : 0);
        }
    }

    private boolean repeats() {
        return !kind.isDedicated() && kind != ConnectionKind.JEDIS;
    }

    private int port() {
        return kind.isCluster() ? node.port() : TestRedis.shared().port();
    }

    @Test
    void forced_release_ends_one_hold_only() throws Exception {
        observer.acquire(Requests.exclusive(key, waiter, 60_000, HERE, true));

        try {
            List<LockHolder> former = withoutFirstReply(() -> store.forceRelease(key), () -> isHeldBy(waiter));
            assertThat(former).extracting(LockHolder::clientId).containsExactly(holder.clientId());
        } catch (ExecutionException e) {
            assertThat(e.getCause())
                    .isInstanceOfSatisfying(
                            LockStoreException.class,
                            failure -> assertThat(failure.outcomeUnknown()).isTrue());
        }

        assertThat(isHeldBy(waiter)).isTrue();
    }

    private boolean isHeldBy(OwnerId owner) {
        return observer.inspect(key)
                .holder()
                .filter(each -> each.clientId().equals(owner.clientId()))
                .isPresent();
    }
}
