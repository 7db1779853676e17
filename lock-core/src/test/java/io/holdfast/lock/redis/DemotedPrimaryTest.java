package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.DataRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;

/** A primary becomes a replica and keeps its connections, while its name leads to the new primary, as with DNS or a proxy. */
@ParameterizedClass
@EnumSource(value = TestRedis.Client.class, names = "JEDIS")
class DemotedPrimaryTest {

    private static final int CONNECTIONS = 3;
    private static final HolderInfo HERE = new HolderInfo("web-1", 1, "main");
    private static final OwnerId OWNER = new OwnerId("client", 1);
    private static final LockKey KEY = LockKey.of("order:42");

    @Parameter
    private TestRedis.Client client;

    private final RedisServerProcess first = RedisServerProcess.start("--repl-diskless-sync-delay", "0");
    private final RedisServerProcess second = RedisServerProcess.start("--repl-diskless-sync-delay", "0");
    private final FaultProxy name = new FaultProxy(first.port());
    private RedisConnectionFactory applications;
    private RedisLockStore store;

    @BeforeEach
    void open() {
        applications = client.connect(name.port());
        store = new RedisLockStore(applications, TestRedis.PATIENT.withMaxConnections(CONNECTIONS));
    }

    @AfterEach
    void close() {
        store.close();
        TestRedis.destroy(applications);
        name.close();
        first.close();
        second.close();
    }

    private static AcquireRequest request(OwnerId owner) {
        return Requests.exclusive(KEY, owner, 30_000, HERE, false);
    }

    /** The pool of Jedis has all its connections then. */
    private void connect() {
        List<LockStore.Pending<AcquireReply>> together = Stream.generate(() -> store.beginAcquire(request(OWNER)))
                .limit(CONNECTIONS)
                .toList();
        together.forEach(LockStore.Pending::await);
        store.renew(List.of(Requests.renewal(KEY, OWNER, 30_000)));
    }

    private void demote() {
        try (Jedis former = TestRedis.administrator(first.port());
                Jedis next = TestRedis.administrator(second.port())) {
            next.replicaof("127.0.0.1", first.port());
            Awaitility.await().until(() -> next.info("replication").contains("master_link_status:up"));
            next.replicaofNoOne();
            former.replicaof("127.0.0.1", second.port());
            Awaitility.await().until(() -> former.info("replication").contains("master_link_status:up"));
        }
        name.redirect(second.port());
    }

    @Test
    void calls_reach_the_new_primary_after_one_of_them_was_refused() {
        connect();
        demote();

        assertThatThrownBy(() -> store.acquire(request(OWNER)))
                .isInstanceOfSatisfying(
                        LockStoreException.class,
                        e -> assertThat(e.outcomeUnknown()).isFalse())
                .hasMessageContaining("READONLY")
                .hasMessageContaining("The server is a replica");

        assertThat(store.acquire(request(OWNER))).isInstanceOf(AcquireReply.Granted.class);
    }

    @Test
    void renewals_reach_the_new_primary_after_one_of_them_was_refused() {
        connect();
        demote();
        List<RenewRequest> renewal = List.of(Requests.renewal(KEY, OWNER, 30_000));

        assertThat(store.renew(renewal))
                .singleElement()
                .isInstanceOfSatisfying(
                        RenewReply.Failed.class,
                        failed -> assertThat(failed.reason()).contains("READONLY"));

        assertThat(store.renew(renewal)).containsExactly(new RenewReply.Renewed());
    }

    /** It would be what was saved before. The first use of the data writes, the others do not have to. */
    @Test
    void holder_does_not_read_data_from_the_former_primary() {
        AcquireReply.Granted granted = (AcquireReply.Granted) store.acquire(request(OWNER));
        DataRequest read = new DataRequest(KEY, OWNER, granted.token(), null, 0, Duration.ZERO);
        assertThat(store.data(read)).isPresent();
        connect();
        demote();

        assertThatThrownBy(() -> store.data(read))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("READONLY");

        assertThat(store.data(read)).isPresent();
    }

    @Test
    void subscription_goes_to_the_new_primary() {
        connect();
        try (LockStore.Listening listening = store.listen("client", new Unsubscribed())) {
            Awaitility.await().until(() -> subscribers(first) == 1);
            demote();

            assertThatThrownBy(() -> store.acquire(request(OWNER))).isInstanceOf(LockStoreException.class);

            Awaitility.await().until(() -> subscribers(second) == 1 && subscribers(first) == 0);
        }
    }

    private static long subscribers(RedisServerProcess server) {
        try (Jedis administrator = TestRedis.administrator(server.port())) {
            return administrator.clientList(ClientType.PUBSUB).lines().count();
        }
    }

    private static final class Unsubscribed implements WakeListener {

        @Override
        public void connected() {}

        @Override
        public void disconnected() {}

        @Override
        public void granted(long sequence, Reservation reservation) {}

        @Override
        public void awaited(long sequence, Waiters waiters) {}
    }
}
