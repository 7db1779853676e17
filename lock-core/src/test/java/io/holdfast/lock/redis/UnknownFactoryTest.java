package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore.Pending;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import redis.clients.jedis.Jedis;

/** A connection factory of the application's own: nobody knows where it connects to, and scripts go by way of Spring Data. */
class UnknownFactoryTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final HolderInfo HERE = new HolderInfo("here", 1, "test");

    private final OwnerId owner = new OwnerId("client", 1);

    private static class OwnFactory extends JedisConnectionFactory {

        OwnFactory(int port) {
            super(new RedisStandaloneConfiguration("127.0.0.1", port));
            afterPropertiesSet();
            start();
        }
    }

    /** Whoever uses it finds a transaction on the connection. */
    private static final class QueuingFactory extends OwnFactory {

        QueuingFactory(int port) {
            super(port);
        }

        @Override
        public RedisConnection getConnection() {
            RedisConnection connection = super.getConnection();
            connection.multi();
            return connection;
        }
    }

    @Test
    void failure_names_the_factory_where_it_cannot_name_the_server() throws IOException {
        int nobody;
        try (ServerSocket closedAtOnce = new ServerSocket(0)) {
            nobody = closedAtOnce.getLocalPort();
        }
        OwnFactory applications = new OwnFactory(nobody);
        try (RedisLockStore store = new RedisLockStore(applications, RedisLockSettings.STANDARD)) {
            assertThatThrownBy(() -> store.inspect(KEY))
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageStartingWith("Redis via " + OwnFactory.class.getName() + " cannot be reached.");
        } finally {
            applications.destroy();
        }
    }

    @Test
    void scripts_that_the_server_does_not_know_are_sent_by_their_text() {
        try (RedisServerProcess server = RedisServerProcess.start();
                Jedis redis = TestRedis.administrator(server.port())) {
            OwnFactory applications = new OwnFactory(server.port());
            try (RedisLockStore store = new RedisLockStore(applications, TestRedis.PATIENT)) {
                assertThat(store.acquire(Requests.exclusive(KEY, owner, 30_000, HERE, true)))
                        .isInstanceOfSatisfying(
                                AcquireReply.Granted.class,
                                granted -> assertThat(granted.resent()).isFalse());
                redis.scriptFlush();
                assertThat(store.renew(List.of(Requests.renewal(KEY, owner, 30_000))))
                        .hasExactlyElementsOfTypes(RenewReply.Renewed.class);
                redis.scriptFlush();
                assertThat(store.keepEntries(List.of(Requests.entries(KEY, List.of()))))
                        .hasExactlyElementsOfTypes(EntryReply.Kept.class);
                redis.scriptFlush();
                assertThat(store.release(new ReleaseRequest(KEY, owner))).isEqualTo(ReleaseReply.RELEASED);
            } finally {
                applications.destroy();
            }
        }
    }

    /** Spring Data waits for each answer, and whoever begins a call does not. */
    @Test
    void call_that_was_begun_is_sent_when_its_answer_is_wanted() {
        try (RedisServerProcess server = RedisServerProcess.start();
                Jedis redis = TestRedis.administrator(server.port())) {
            OwnFactory applications = new OwnFactory(server.port());
            try (RedisLockStore store = new RedisLockStore(applications, TestRedis.PATIENT)) {
                store.acquire(
                        Requests.exclusive(LockKey.of("other"), owner, 30_000, HERE, true)); // the script is known

                Pending<AcquireReply> begun = store.beginAcquire(Requests.exclusive(KEY, owner, 30_000, HERE, true));
                assertThat(redis.exists("holdfast:{order:42}")).isFalse();

                assertThat(begun.await()).isInstanceOf(AcquireReply.Granted.class);
            } finally {
                applications.destroy();
            }
        }
    }

    @Test
    void script_that_is_queued_in_a_transaction_fails_with_advice() {
        try (RedisServerProcess server = RedisServerProcess.start()) {
            OwnFactory applications = new QueuingFactory(server.port());
            try (RedisLockStore store = new RedisLockStore(applications, TestRedis.PATIENT)) {
                assertThatThrownBy(() -> store.inspect(KEY))
                        .isInstanceOf(LockStoreException.class)
                        .hasMessageContaining("Check whether the connection is in a transaction (MULTI)");
            } finally {
                applications.destroy();
            }
        }
    }

    @Test
    void replicas_cannot_be_waited_for() {
        OwnFactory applications = new OwnFactory(1);
        RedisLockSettings settings = RedisLockSettings.STANDARD.withReplicaAcks(
                new RedisLockSettings.ReplicaAcks(1, Duration.ofMillis(100)));
        try {
            assertThatThrownBy(() -> new RedisLockStore(applications, settings))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith(
                            "replicaAcks requires dedicated connections, but locks are kept in Redis over connections of");
        } finally {
            applications.destroy();
        }
    }

    @Test
    void replica_acks_and_a_rejoin_delay_are_refused() {
        OwnFactory applications = new OwnFactory(1);
        RedisLockSettings settings = RedisLockSettings.STANDARD
                .withReplicaAcks(new RedisLockSettings.ReplicaAcks(1, Duration.ofMillis(100)))
                .withRejoinDelay(Duration.ofSeconds(30));
        try {
            assertThatThrownBy(() -> new RedisLockStore(applications, settings))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("replicaAcks and rejoinDelay cannot be combined: rejoinDelay is for the servers of a"
                            + " quorum, which have no replicas. Remove one of them from the RedisLockSettings.");
        } finally {
            applications.destroy();
        }
    }
}
