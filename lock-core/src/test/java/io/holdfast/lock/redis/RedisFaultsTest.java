package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.RenewRequest;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.TestRedis;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** What happens when the network or somebody else's transaction gets in the way. */
@ParameterizedClass
@EnumSource(names = {"DEDICATED", "JEDIS", "LETTUCE"})
class RedisFaultsTest {

    private static final Duration PATIENT = TestRedis.PATIENT.commandTimeout();

    /** For replies that will be lost: no test should wait for them for long. */
    private static final Duration HASTY = Duration.ofMillis(300);

    /** If others do come back. */
    private static final Duration LESS_HASTY = Duration.ofSeconds(1);

    private static final HolderInfo HERE = new HolderInfo("web-1", 1, "main");

    /** Sees the server without the proxy. */
    private static final RedisLockStore DIRECT =
            new RedisLockStore(TestRedis.jedis(TestRedis.shared().port()), TestRedis.PATIENT);

    @Parameter
    private ConnectionKind kind;

    private final LockKey key = LockKey.of("faults:" + UUID.randomUUID());
    private final OwnerId owner = new OwnerId("client" + System.nanoTime(), 1);
    private FaultProxy proxy;
    private RedisConnectionFactory applications;
    private final List<RedisConnectionFactory> impatient = new ArrayList<>();
    private RedisLockStore store;

    @BeforeEach
    void open() {
        proxy = new FaultProxy(TestRedis.shared().port());
        applications = kind.connect(proxy.port(), PATIENT);
        store = new RedisLockStore(applications, kind.settings(PATIENT));
        store.inspect(key);
    }

    @AfterEach
    void close() {
        store.close();
        TestRedis.destroy(applications);
        impatient.forEach(TestRedis::destroy);
        proxy.close();
    }

    private AcquireReply acquire(OwnerId acquirer) {
        return store.acquire(request(acquirer));
    }

    private AcquireRequest request(OwnerId acquirer) {
        return Requests.exclusive(key, acquirer, 30_000, HERE, false);
    }

    private RedisLockStore hasty(Duration timeout, Consumer<RedisLockStore> firstCall) {
        return hasty(timeout, timeout, firstCall);
    }

    /** A busy machine may need longer to connect. */
    private RedisLockStore hasty(Duration driver, Duration timeout, Consumer<RedisLockStore> firstCall) {
        impatient.add(kind.connect(proxy.port(), driver));
        RedisLockStore hasty = new RedisLockStore(impatient.get(0), kind.settings(timeout));
        Awaitility.await()
                .atMost(1, TimeUnit.MINUTES)
                .ignoreException(LockStoreException.class)
                .until(() -> {
                    firstCall.accept(hasty);
                    return true;
                });
        return hasty;
    }

    @Test
    void lost_answer_is_an_unknown_outcome_after_the_command_timeout() {
        try (RedisLockStore hasty = hasty(HASTY, it -> it.inspect(key))) {
            proxy.loseReplies(true);

            assertThatThrownBy(() -> hasty.acquire(request(owner)))
                    .isInstanceOfSatisfying(LockStoreException.class, e -> {
                        assertThat(e.outcomeUnknown()).isTrue();
                        assertThat(e)
                                .hasMessageContaining(
                                        "Redis at %s:%d did not respond in time", "127.0.0.1", proxy.port());
                    });
        }

        Awaitility.await().until(() -> DIRECT.inspect(key).holder().isPresent());
    }

    @Test
    void server_that_never_was_there_is_a_known_failure() throws Exception {
        int nobody;
        try (ServerSocket closedAtOnce = new ServerSocket(0)) {
            nobody = closedAtOnce.getLocalPort();
        }
        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("127.0.0.1", nobody);
        server.setUsername("somebody");
        server.setPassword("s3cret");
        RedisConnectionFactory factory = kind.connect(server, PATIENT);
        RedisLockStore absent = new RedisLockStore(factory, kind.settings(HASTY));

        assertThatThrownBy(() -> absent.inspect(key)).isInstanceOfSatisfying(LockStoreException.class, e -> {
            assertThat(e)
                    .hasMessageContaining("Redis at 127.0.0.1:%d cannot be reached", nobody)
                    .hasMessageNotContaining("s3cret");
            assertThat(e.outcomeUnknown()).isFalse();
        });
        absent.close();
        TestRedis.destroy(factory);
    }

    @Test
    void loading_server_is_a_known_failure_that_says_so() {
        proxy.answer("-LOADING Redis is loading the dataset in memory");

        assertThatThrownBy(() -> acquire(owner)).isInstanceOfSatisfying(LockStoreException.class, e -> {
            assertThat(e)
                    .hasMessageStartingWith("Redis at 127.0.0.1:%d rejected the call: ".formatted(proxy.port()))
                    .hasMessageContaining("LOADING")
                    .hasMessageContaining("still loading");
            assertThat(e.outcomeUnknown()).isFalse();
        });

        proxy.answer(null);
        assertThat(acquire(owner)).isInstanceOf(AcquireReply.Granted.class);
    }

    @Test
    void null_answer_is_an_error_and_never_not_acquired() {
        proxy.answer("$-1");

        assertThatThrownBy(() -> acquire(owner))
                .isInstanceOf(LockStoreException.class)
                .hasMessageStartingWith("Redis returned");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HELLO",
                "GRANTED",
                "GRANTED 1 x 0",
                "GRANTED 1 1 7",
                "HELD 0 0 0",
                "HELD 1 0",
                "HELD 1 0 x",
                "HELD 1 0 -1",
                "HELD 1 0 4294967295",
                "HELD 1 0 0\na b",
                "-1",
                ""
            })
    void answer_that_no_script_gives_is_an_error(String answer) {
        proxy.answer("$" + answer.length() + "\r\n" + answer);

        assertThatThrownBy(() -> acquire(owner))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("unexpected reply to a lock script");
    }

    @Test
    void broken_connection_is_replaced_within_the_call() {
        for (int i = 0; i < 5; i++) {
            assertThat(acquire(owner)).isInstanceOf(AcquireReply.Granted.class);
            proxy.cut();
        }
    }

    @Test
    void all_pooled_connections_broken_at_once_fail_no_call() throws Exception {
        CountDownLatch allInside = new CountDownLatch(8);
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            OwnerId each = new OwnerId(owner.clientId(), 100 + i);
            threads[i] = new Thread(() -> {
                acquire(each);
                allInside.countDown();
                for (int n = 0; n < 50; n++) {
                    acquire(each);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        proxy.cut();

        assertThat(acquire(owner)).isNotNull();
        assertThat(allInside.getCount()).isZero();
    }

    @Test
    void release_that_had_to_be_repeated_and_finds_itself_gone_says_so() {
        store.release(new ReleaseRequest(key, owner));
        acquire(owner);
        proxy.loseReplies(true);
        Thread cutter = new Thread(() -> {
            while (DIRECT.inspect(key).holder().isPresent()) {
                Thread.onSpinWait();
            }
            proxy.cut();
            proxy.loseReplies(false);
            proxy.cut();
        });
        cutter.start();

        assertThat(store.release(new ReleaseRequest(key, owner))).isEqualTo(ReleaseReply.GONE);
    }

    /** The driver of an application may time out within the part of the command timeout in which broken connections are replaced. */
    @Test
    void call_that_timed_out_is_not_sent_again() {
        try (RedisLockStore hasty = hasty(HASTY, kind.isDedicated() ? HASTY : PATIENT, it -> it.inspect(key))) {
            proxy.swallow(key.value());

            assertThatThrownBy(() -> hasty.acquire(request(owner)))
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageContaining("did not respond in time");

            assertThat(proxy.swallowed()).isEqualTo(1);
        }
    }

    @Test
    void renewal_of_many_locks_credits_those_that_were_renewed_before_the_answer_was_lost() {
        LockKey second = LockKey.of(key + ":second");
        LockKey third = LockKey.of(key + ":third");
        Stream.of(key, second, third)
                .forEach(each -> DIRECT.acquire(Requests.exclusive(each, owner, 30_000, HERE, false)));
        List<RenewRequest> requests = Stream.of(key, second, third)
                .flatMap(each -> Collections.nCopies(600, Requests.renewal(each, owner, 600_000)).stream())
                .toList();

        List<RenewReply> replies;
        try (RedisLockStore hasty = hasty(LESS_HASTY, it -> it.renew(List.of(Requests.renewal(key, owner, 30_000))))) {
            proxy.loseRepliesAfter(1);
            replies = hasty.renew(requests);
        }

        assertThat(replies).hasSize(1800);
        assertThat(replies.subList(0, 600)).containsOnly(new RenewReply.Renewed());
        assertThat(replies.subList(600, 1800))
                .allSatisfy(reply -> assertThat(reply)
                        .isInstanceOfSatisfying(
                                RenewReply.Failed.class,
                                failed -> assertThat(failed.reason()).contains("did not respond in time")));
        assertThat(remaining(second)).isGreaterThan(Duration.ofMinutes(9));
        assertThat(remaining(third)).isLessThan(Duration.ofMinutes(1));
    }

    private static Duration remaining(LockKey lock) {
        return DIRECT.inspect(lock).holder().orElseThrow().remaining();
    }

    @Test
    void entries_in_many_queues_are_kept_as_far_as_the_server_answers() {
        List<EntryRequest> rows = IntStream.range(0, 1800)
                .mapToObj(i -> Requests.entries(LockKey.of(key + ":" + i), List.of(owner)))
                .toList();

        List<EntryReply> replies;
        try (RedisLockStore hasty = hasty(LESS_HASTY, it -> it.keepEntries(rows.subList(0, 1)))) {
            proxy.loseRepliesAfter(1);
            replies = hasty.keepEntries(rows);
        }

        assertThat(replies.subList(0, 600)).hasOnlyElementsOfType(EntryReply.Kept.class);
        assertThat(replies.subList(600, 1800)).hasSize(1200).hasOnlyElementsOfType(EntryReply.Failed.class);
    }

    @Test
    void renewal_of_many_locks_fails_as_a_whole_if_nothing_is_answered() {
        try (RedisLockStore hasty = hasty(HASTY, it -> it.renew(List.of(Requests.renewal(key, owner, 30_000))))) {
            proxy.loseReplies(true);

            assertThatThrownBy(() -> hasty.renew(Collections.nCopies(1800, Requests.renewal(key, owner, 30_000))))
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageContaining("did not respond in time");
        }
    }

    @Test
    void locks_do_not_join_a_transaction_that_a_user_bound_to_the_factory() {
        StringRedisTemplate users = new StringRedisTemplate(applications);
        users.setEnableTransactionSupport(true);

        AcquireReply reply = new TransactionTemplate(new NoDatabase()).execute(status -> {
            users.opsForValue().set(key.value(), "inside MULTI");
            return acquire(owner);
        });

        assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
    }

    private static final class NoDatabase extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}
