package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.store.scan.StoreScan;
import io.holdfast.lock.testing.CapturedLog;
import io.holdfast.lock.testing.DocumentedUser;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Jedis;

/** What a Redis user has to be allowed, as the reference says, and what becomes of locks if it may do less. */
@ParameterizedClass
@EnumSource(TestRedis.Client.class)
class RedisPermissionsTest {

    private static final HolderInfo HERE = new HolderInfo("web-1", 1, "main");
    private static final LockKey KEY = LockKey.of("order:42");

    @Parameter
    private TestRedis.Client client;

    private final OwnerId alice = new OwnerId("alice", 1);
    private final OwnerId bob = new OwnerId("bob", 1);
    private final OwnerId carol = new OwnerId("carol", 1);
    private RedisServerProcess server;
    private Jedis admin;
    private RedisLockStore store;

    @BeforeEach
    void start() {
        server = RedisServerProcess.start();
        admin = new Jedis("127.0.0.1", server.port(), 5000);
        DocumentedUser.permit(admin, DocumentedUser.rules());
        store = new RedisLockStore(
                client.connect(server.port(), DocumentedUser.NAME, DocumentedUser.PASSWORD), TestRedis.PATIENT);
    }

    @AfterEach
    void stop() {
        store.close();
        admin.close();
        server.close();
    }

    private void permit(String... rules) {
        DocumentedUser.permit(admin, List.of(rules));
    }

    private AcquireReply acquire(OwnerId owner, int limit, boolean waiting) {
        return store.acquire(new AcquireRequest(KEY, owner, 30_000, HERE, limit, 1, true, waiting, 10, 0, false));
    }

    private void granted(OwnerId owner, int limit) {
        assertThat(acquire(owner, limit, false)).isInstanceOf(AcquireReply.Granted.class);
    }

    private void queue(OwnerId owner, int limit) {
        assertThat(acquire(owner, limit, true)).isInstanceOf(AcquireReply.Held.class);
    }

    private void released(OwnerId owner) {
        assertThat(store.release(new ReleaseRequest(KEY, owner))).isEqualTo(ReleaseReply.RELEASED);
    }

    private List<OwnerId> called(OwnerId... owners) {
        EntryReply reply = store.keepEntries(List.of(Requests.entries(KEY, List.of(owners))))
                .get(0);
        assertThat(reply).isInstanceOf(EntryReply.Kept.class);
        return ((EntryReply.Kept) reply).called();
    }

    @Test
    void eviction_policy_is_known_if_the_user_may_ask_for_it() {
        assertThat(store.evictionPolicies()).isEqualTo(Map.of("", "unknown"));

        permit("+info");
        assertThat(store.evictionPolicies()).isEqualTo(Map.of("", "noeviction"));
    }

    @Test
    void locks_can_be_listed_if_the_user_may_scan() {
        granted(alice, AcquireRequest.EXCLUSIVE);
        assertThatThrownBy(() -> store.openScan("").orElseThrow().step())
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("ACL");

        DocumentedUser.permit(admin, DocumentedUser.withScan(List.of()));
        StoreScan scan = store.openScan("").orElseThrow();
        boolean more = true;
        while (more) {
            more = scan.step();
        }
        assertThat(scan.found()).extracting(LockStatus::key).containsExactly(KEY);
    }

    @Test
    void documented_permissions_are_enough() {
        Ear bobs = new Ear();
        LockStore.Listening listening = store.listen(bob.clientId(), bobs);
        bobs.awaitConnected();

        granted(alice, AcquireRequest.EXCLUSIVE);
        queue(bob, AcquireRequest.EXCLUSIVE);
        queue(carol, 2);
        assertThat(store.renew(List.of(Requests.renewal(KEY, alice, 30_000))))
                .containsExactly(new RenewReply.Renewed());
        assertThat(store.extend(Requests.renewal(KEY, alice, 30_000))).isEqualTo(new RenewReply.Renewed());
        assertThat(called(bob, carol)).isEmpty();
        assertThat(store.inspect(KEY).waiters()).isEqualTo(2);
        released(alice);
        bobs.awaitGrants(1);
        granted(bob, AcquireRequest.EXCLUSIVE);
        assertThat(store.downgrade(KEY, bob, ReleaseRequest.ALL_TOKENS)).isEqualTo(ReleaseReply.RELEASED);
        granted(carol, 2);
        assertThat(store.inspect(KEY).holders()).hasSize(2);
        store.leave(KEY, carol, Duration.ofSeconds(30), ReleaseRequest.ALL_TOKENS);
        assertThat(acquire(carol, 2, false)).isInstanceOf(AcquireReply.Cancelled.class);
        assertThat(store.forceRelease(KEY)).hasSize(1);
        queueBehindMany();

        listening.close();
        assertThat(admin.aclLog()).isEmpty();
    }

    /** So many that Redis looks for the next one among all. */
    private void queueBehindMany() {
        granted(alice, AcquireRequest.EXCLUSIVE);
        for (int i = 0; i < 150; i++) {
            queue(new OwnerId("many", i), AcquireRequest.EXCLUSIVE);
        }
        OwnerId last = new OwnerId("last", 1);
        queue(last, AcquireRequest.EXCLUSIVE);
        for (int i = 149; i >= 0; i--) {
            store.leave(KEY, new OwnerId("many", i), Duration.ZERO, ReleaseRequest.ALL_TOKENS);
        }
        released(alice);
        granted(last, AcquireRequest.EXCLUSIVE);
    }

    @Test
    void user_that_may_not_publish_hands_over_without_a_message() {
        permit("-publish");
        granted(alice, AcquireRequest.EXCLUSIVE);
        queue(bob, AcquireRequest.EXCLUSIVE);

        released(alice);

        assertThat(called(bob)).containsExactly(bob);
        granted(bob, AcquireRequest.EXCLUSIVE);
        assertThat(admin.aclLog()).isNotEmpty();
    }

    @Test
    void user_that_may_not_publish_to_these_channels_hands_over_without_a_message() {
        permit("resetchannels");
        granted(alice, AcquireRequest.EXCLUSIVE);
        queue(bob, AcquireRequest.EXCLUSIVE);

        released(alice);

        assertThat(called(bob)).containsExactly(bob);
        granted(bob, AcquireRequest.EXCLUSIVE);
    }

    @Test
    void command_that_a_script_may_not_run_is_an_error_that_says_what_to_check() {
        permit("-hget");
        granted(alice, AcquireRequest.EXCLUSIVE);

        assertThatThrownBy(() -> acquire(bob, AcquireRequest.EXCLUSIVE, true))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("ACL");
    }

    @Test
    void clients_that_may_not_publish_get_the_lock_by_asking() {
        permit("-publish");

        handOver(() -> {});
    }

    @Test
    void scripts_that_may_not_publish_are_logged_once_and_shown_to_health_until_they_may() {
        granted(alice, AcquireRequest.EXCLUSIVE);
        queue(bob, AcquireRequest.EXCLUSIVE);
        permit("-publish");
        try (CapturedLog captured = new CapturedLog(RedisLockStore.class.getName(), Level.WARN)) {
            assertThat(called(bob)).isEmpty();
            assertThat(called(bob)).isEmpty();

            assertThat(store.warnings())
                    .singleElement(InstanceOfAssertFactories.STRING)
                    .matches(
                            "Redis does not let scripts publish to the wakeup channels, so waiters poll every 500 ms\\."
                                    + " Grant the Redis user PUBLISH and the channels holdfast:wake:\\* \\(.*run.*\\)");
            assertThat(captured.events())
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .isEqualTo(store.warnings());
        }

        permit("+publish");
        assertThat(store.warnings()).isEmpty();
    }

    @Test
    void scripts_that_may_publish_are_no_warning() {
        granted(alice, AcquireRequest.EXCLUSIVE);
        queue(bob, AcquireRequest.EXCLUSIVE);

        assertThat(called(bob)).isEmpty();

        assertThat(store.warnings()).isEmpty();
    }

    @Test
    void clients_that_may_not_subscribe_get_the_lock_by_asking_and_are_warned() {
        permit("-subscribe");

        warnedAndHandedOver();
    }

    @Test
    void clients_that_may_not_subscribe_to_these_channels_get_the_lock_by_asking_and_are_warned() {
        permit("resetchannels");

        warnedAndHandedOver();
    }

    @Test
    void channel_that_becomes_permitted_is_heard() {
        permit("-subscribe");
        Ear bobs = new Ear();
        LockStore.Listening listening = store.listen(bob.clientId(), bobs);
        bobs.awaitDisconnected(1);

        permit("+subscribe");

        bobs.awaitConnected();
        listening.close();
    }

    private void warnedAndHandedOver() {
        Logger logger = (Logger) LoggerFactory.getLogger(WakeChannel.class);
        Level level = logger.getLevel();
        ListAppender<ILoggingEvent> captured = new ListAppender<>();
        captured.start();
        logger.addAppender(captured);
        logger.setLevel(Level.WARN);
        try {
            handOver(() -> Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> List.copyOf(captured.list).stream().anyMatch(this::warns)));
        } finally {
            logger.setLevel(level);
            logger.detachAppender(captured);
        }
    }

    /** A connection that was slow to come is warned of as well. */
    private boolean warns(ILoggingEvent event) {
        String message = event.getFormattedMessage();
        return message.contains("polling every 100 ms") && message.contains("NOPERM") && message.contains("ACL");
    }

    private void handOver(Runnable whileOneWaits) {
        LockRequest patient = LockRequest.of(KEY.value()).waitFor(Duration.ofMinutes(1));
        try (LockEngine one = LockEngine.builder(store).build();
                LockEngine another = LockEngine.builder(store).build()) {
            LockHandle held = one.acquire(patient);
            long token = held.fencingToken();
            CompletableFuture<Long> next = NewThread.start(() -> {
                try (LockHandle handle = another.acquire(patient)) {
                    return handle.fencingToken();
                }
            });
            Awaitility.await().until(() -> store.inspect(KEY).waiters() == 1);
            whileOneWaits.run();

            held.close();

            assertThat(next.join()).isGreaterThan(token);
        }
    }

    /** Counts what it hears. */
    private static final class Ear implements WakeListener {
        private final CountDownLatch connected = new CountDownLatch(1);
        private final AtomicInteger disconnected = new AtomicInteger();
        private final AtomicInteger grants = new AtomicInteger();

        @Override
        public void granted(long sequence, Reservation reservation) {
            grants.incrementAndGet();
        }

        @Override
        public void awaited(long sequence, Waiters waiters) {}

        @Override
        public void connected() {
            connected.countDown();
        }

        @Override
        public void disconnected() {
            disconnected.incrementAndGet();
        }

        void awaitConnected() {
            Awaitility.await().until(() -> connected.await(0, TimeUnit.SECONDS));
        }

        void awaitDisconnected(int times) {
            Awaitility.await().until(() -> disconnected.get() >= times);
        }

        void awaitGrants(int count) {
            Awaitility.await().until(() -> grants.get() >= count);
        }
    }
}
