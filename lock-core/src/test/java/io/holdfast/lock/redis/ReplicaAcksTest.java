package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings.ReplicaAcks;
import io.holdfast.lock.testing.DocumentedUser;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;

/** Grants and renewals that count only once a replica has them. */
@Tag("full")
@ParameterizedClass
@EnumSource(value = TestRedis.Client.class, names = "JEDIS")
class ReplicaAcksTest {

    private static final String KEY = "order:42";

    /** As long as a paused replica is waited for; one that is only slow is asked again. */
    private static final ReplicaAcks ONE_REPLICA = new ReplicaAcks(1, Duration.ofMillis(1500));

    /** Long enough for several tries. */
    private static final Duration OUTAGE = Duration.ofSeconds(5);

    private static final ReplicaAcks ONE_REPLICA_PATIENTLY = new ReplicaAcks(1, Duration.ofMinutes(1));

    @Parameter
    private TestRedis.Client client;

    private final RedisServerProcess primary = RedisServerProcess.start("--repl-diskless-sync-delay", "0");
    private final RedisServerProcess replica = RedisServerProcess.start();
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private RedisConnectionFactory connections;
    private RedisLockStore store;
    private RedisLockStore unacknowledged;
    private LockEngine locks;
    private LockEngine others;

    @BeforeEach
    void replicate() {
        try (Jedis jedis = TestRedis.administrator(replica.port())) {
            jedis.replicaof("127.0.0.1", primary.port());
            Awaitility.await()
                    .atMost(1, TimeUnit.MINUTES)
                    .until(() -> jedis.info("replication").contains("master_link_status:up"));
        }
        try (Jedis administrator = TestRedis.administrator(primary.port())) {
            DocumentedUser.permit(administrator, DocumentedUser.rules("with `holdfast.redis.replica-acks`"));
        }
        connections = client.connect(primary.port(), DocumentedUser.NAME, DocumentedUser.PASSWORD);
        store = new RedisLockStore(connections, TestRedis.PATIENT.withReplicaAcks(ONE_REPLICA));
        unacknowledged = new RedisLockStore(connections, TestRedis.PATIENT);
        locks = LockEngine.builder(store).listener(events::add).build();
        others = LockEngine.builder(unacknowledged).build();
    }

    @AfterEach
    void close() {
        replica.resume();
        locks.close();
        others.close();
        store.close();
        unacknowledged.close();
        TestRedis.destroy(connections);
        replica.close();
        primary.close();
    }

    private RedisLockStore patient() {
        return new RedisLockStore(connections, TestRedis.PATIENT.withReplicaAcks(ONE_REPLICA_PATIENTLY));
    }

    private LockHandle acquireOnceAcknowledged(LockRequest request) {
        return Awaitility.await()
                .pollInSameThread()
                .atMost(1, TimeUnit.MINUTES)
                .ignoreException(LockStoreException.class)
                .until(() -> locks.acquire(request), LockHandle::isHeld);
    }

    @Test
    void data_is_read_and_saved_once_the_replica_has_the_call() {
        try (LockHandle handle = acquireOnceAcknowledged(LockRequest.of(KEY).withData(Duration.ofMinutes(1)))) {
            handle.saveData(new byte[] {1});
            replica.pause();

            assertThatThrownBy(() -> handle.saveData(new byte[] {2}))
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageContaining("The data was saved, but");
            assertThatThrownBy(handle::data)
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageContaining("The data was read, but");
            replica.resume();
        }
    }

    @Test
    void grant_is_on_the_replica_when_it_counts() {
        try (RedisLockStore patient = patient();
                LockEngine patiently = LockEngine.builder(patient).build();
                LockHandle handle = patiently.acquire(KEY);
                Jedis copy = TestRedis.administrator(replica.port())) {
            assertThat(copy.hget("holdfast:{" + KEY + "}", "token")).isEqualTo(String.valueOf(handle.fencingToken()));
        }
        assertThat(others.tryAcquire(KEY)).isPresent();
    }

    @Test
    void grant_that_no_replica_has_is_undone_and_says_so() {
        replica.pause();

        assertThatThrownBy(() -> locks.acquire(KEY))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("only 0 of 1 replicas")
                .hasMessageContaining("holdfast.redis.replica-acks");

        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .until(() -> others.tryAcquire(KEY).isPresent());
    }

    @Test
    void renewal_that_no_replica_has_does_not_count() {
        LockHandle handle = acquireOnceAcknowledged(LockRequest.of(KEY).lease(Duration.ofSeconds(6)));
        replica.pause();

        Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> !handle.isHeld());

        assertThat(events)
                .filteredOn(LockEvent.RenewalFailed.class::isInstance)
                .isNotEmpty()
                .allSatisfy(event -> assertThat(event.toString()).contains("only 0 of 1 replicas"));
        assertThat(events).anyMatch(LockEvent.Lost.class::isInstance);
    }

    @Test
    void extension_that_no_replica_has_fails() {
        try (LockHandle handle = acquireOnceAcknowledged(LockRequest.of(KEY).lease(Duration.ofMinutes(5)))) {
            replica.pause();

            assertThatThrownBy(() -> handle.extend(Duration.ofMinutes(10))).isInstanceOf(LockStoreException.class);

            assertThat(handle.isHeld()).isTrue();
        }
    }

    @Test
    void waiter_that_is_told_of_its_grant_waits_for_the_replica_too() {
        LockHandle held = others.acquire(KEY);
        CompletableFuture<LockHandle> waiter = NewThread.start(() ->
                locks.acquire(LockRequest.of(KEY).waitFor(Duration.ofMinutes(1)).outageTolerance(OUTAGE)));
        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .until(() -> others.inspect(KEY).waiters() == 1);
        replica.pause();

        held.close();

        assertThatThrownBy(waiter::join).hasCauseInstanceOf(LockStoreException.class);
    }

    @Test
    void script_that_the_server_forgot_is_sent_by_its_text() {
        try (Jedis jedis = TestRedis.administrator(primary.port())) {
            jedis.scriptFlush();
        }
        try (RedisLockStore patient = patient();
                LockEngine patiently = LockEngine.builder(patient).build();
                LockHandle handle = patiently.acquire(KEY)) {
            assertThat(handle.isHeld()).isTrue();
        }
    }
}
