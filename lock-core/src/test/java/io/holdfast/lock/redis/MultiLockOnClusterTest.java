package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.driver.LuaScript;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.Requests;
import io.holdfast.lock.testing.RunningTime;
import io.holdfast.lock.testing.ServerNode;
import io.holdfast.lock.testing.SlotMigration;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientPauseMode;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/**
 * Locks on three masters of a cluster, acquired and released at the same time: where a node hangs, a reply is lost, a script is unknown,
 * slots move, or there are few connections.
 */
@Timeout(180)
class MultiLockOnClusterTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final RedisLockSettings IMPATIENT = RedisLockSettings.STANDARD.withCommandTimeout(TIMEOUT);

    /** One command timeout, and what a busy machine takes; less than two. */
    private static final Duration ABOUT_ONE_TIMEOUT = TIMEOUT.multipliedBy(8).dividedBy(5);

    /** So long that no lock is free because its lease has ended. */
    private static final Duration LEASE = Duration.ofMinutes(5);

    private static final HolderInfo HERE = new HolderInfo("web-1", 1, "main");
    private static final int KEYS_ON_EACH = 3;

    private static RedisClusterProcesses cluster;

    private final String prefix = UUID.randomUUID() + ":";
    private final AtomicLong sequences = new AtomicLong();
    private final Map<String, ServerNode> masters = new HashMap<>();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private List<String> keys;
    private RedisLockStore store;
    private LockEngine locks;
    private LockEngine others;

    @BeforeAll
    static void start() {
        cluster = RedisClusterProcesses.start(3, 0, Duration.ofMinutes(5));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void close() throws Exception {
        cluster.nodes().stream().filter(node -> !node.isRunning()).forEach(ServerNode::resume);
        cluster.nodes().forEach(node -> node.ask(Jedis::clientUnpause));
        cluster.nodes().forEach(node -> node.ask(jedis -> jedis.aclSetUser("default", "+eval")));
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    /** Connections are open, and scripts are loaded. */
    private void open(RedisLockSettings settings) {
        store = newStore(settings);
        locks = engine(store);
        others = engine(newStore(TestRedis.PATIENT));
        keys = cluster.nodes().stream()
                .flatMap(node -> keysOn(node).stream())
                .sorted()
                .toList();
        locks.acquire(all()).close();
        assertThat(keys).hasSize(9).allMatch(this::isFree);
    }

    private RedisLockStore newStore(RedisLockSettings settings) {
        RedisConnectionFactory factory = TestRedis.Client.JEDIS.connect(cluster.address());
        RedisLockStore made = new RedisLockStore(factory, settings);
        opened.add(0, () -> TestRedis.destroy(factory));
        opened.add(0, made);
        return made;
    }

    private LockEngine engine(RedisLockStore on) {
        LockEngine engine = LockEngine.builder(on).build();
        opened.add(0, engine);
        return engine;
    }

    private static String redisKey(String key) {
        return "holdfast:{" + key + "}";
    }

    private List<String> keysOn(ServerNode node) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> prefix + i)
                .filter(key -> masters.computeIfAbsent(key, each -> cluster.masterOf(redisKey(each))) == node)
                .limit(KEYS_ON_EACH)
                .toList();
    }

    private List<String> on(ServerNode node) {
        return keys.stream().filter(key -> masters.get(key) == node).toList();
    }

    private List<String> notOn(ServerNode node) {
        return keys.stream().filter(key -> masters.get(key) != node).toList();
    }

    private LockRequest all() {
        return LockRequest.ofAll(keys).lease(LEASE).waitFor(Duration.ofMinutes(1));
    }

    /** As the node sees it. */
    private boolean isFree(String key) {
        return Objects.requireNonNull(masters.get(key)).ask(jedis -> jedis.hget(redisKey(key), "owner")) == null;
    }

    private void awaitFree(List<String> some) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> some.stream().allMatch(this::isFree));
    }

    private void awaitHeld(List<String> some) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> some.stream().noneMatch(this::isFree));
    }

    private void awaitWaiter(String key) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> others.inspect(key).waiters() == 1);
    }

    private static ServerNode node(int number) {
        return cluster.nodes().get(number);
    }

    private CompletableFuture<LockHandle> acquiring() {
        return NewThread.start(() -> locks.acquire(all()));
    }

    private static CompletableFuture<Void> closing(LockHandle handle) {
        return NewThread.<Void>start(() -> {
            handle.close();
            return null;
        });
    }

    private List<AcquireRequest> requests(boolean waiting) {
        OwnerId first = new OwnerId("client" + System.nanoTime(), 1);
        return keys.stream()
                .map(key -> Requests.exclusive(
                        LockKey.of(key),
                        new OwnerId(first.clientId(), sequences.incrementAndGet()),
                        LEASE.toMillis(),
                        HERE,
                        waiting))
                .toList();
    }

    private static List<ReleaseRequest> releases(List<AcquireRequest> requests) {
        return requests.stream()
                .map(request -> new ReleaseRequest(request.key(), request.owner()))
                .toList();
    }

    private static void assertGrantedAndReleased(LockStore store, List<AcquireRequest> requests) {
        assertThat(store.acquireAll(requests)).isInstanceOf(AcquireAllReply.Granted.class);
        assertThat(store.releaseAll(releases(requests)).stream().map(LockStore.Pending::await))
                .containsOnly(ReleaseReply.RELEASED);
    }

    // All nodes at the same time.

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void no_node_is_kept_waiting_for_the_reply_of_another(int hanging) throws Exception {
        open(TestRedis.PATIENT);
        node(hanging).pause();
        CompletableFuture<LockHandle> acquiring = acquiring();
        awaitHeld(notOn(node(hanging)));
        assertThat(acquiring).isNotDone();
        node(hanging).resume();
        LockHandle handle = acquiring.get();
        assertThat(handle.isHeld()).isTrue();
        assertThat(keys).noneMatch(this::isFree);

        node(hanging).pause();
        CompletableFuture<Void> closing = closing(handle);
        awaitFree(notOn(node(hanging)));
        assertThat(closing).isNotDone();
        node(hanging).resume();

        closing.get();
        assertThat(keys).allMatch(this::isFree);
    }

    @Test
    void each_lock_has_a_token_of_its_own_that_increases() {
        open(TestRedis.PATIENT);
        Map<String, Long> before = new HashMap<>();
        try (LockHandle handle = locks.acquire(all())) {
            keys.forEach(key -> before.put(key, handle.fencingToken(LockKey.of(key))));
        }

        try (LockHandle handle = locks.acquire(all())) {
            assertThat(keys)
                    .allSatisfy(key -> assertThat(handle.fencingToken(LockKey.of(key)))
                            .isGreaterThan(before.get(key))
                            .isEqualTo(others.inspect(key).lastFencingToken()));
        }
    }

    @Test
    void single_tries_are_left_to_acquire_one_by_one_without_a_call() {
        open(TestRedis.PATIENT);
        List<AcquireRequest> tries = requests(false);
        List<Long> before =
                keys.stream().map(key -> others.inspect(key).lastFencingToken()).toList();

        assertThat(store.acquireAll(tries)).isEqualTo(new AcquireAllReply.OneByOne(false));

        assertThat(keys.stream().map(key -> others.inspect(key).lastFencingToken()))
                .containsExactlyElementsOf(before);
        assertThat(locks.tryAcquire(all().waitFor(Duration.ZERO))).hasValueSatisfying(LockHandle::close);
    }

    // Refusals.

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 8})
    void waiter_for_one_of_them_holds_only_smaller_ones(int held) throws Exception {
        open(TestRedis.PATIENT);
        LockHandle other = others.acquire(LockRequest.of(keys.get(held)).lease(LEASE));

        CompletableFuture<LockHandle> acquiring = acquiring();

        awaitWaiter(keys.get(held));
        assertThat(keys.subList(0, held)).noneMatch(this::isFree);
        assertThat(keys.subList(held + 1, keys.size())).allMatch(this::isFree);
        other.close();
        acquiring.get().close();
        assertThat(keys).allMatch(this::isFree);
    }

    @Test
    void lock_that_was_given_back_goes_to_a_caller_that_has_queued_meanwhile() throws Exception {
        open(TestRedis.PATIENT);
        String last = keys.get(keys.size() - 1);
        ServerNode refusing = Stream.of(node(0), node(1), node(2))
                .filter(node -> node != masters.get(last))
                .findFirst()
                .orElseThrow();
        LockHandle other = others.acquire(LockRequest.of(on(refusing).get(0)).lease(LEASE));
        refusing.pause(); // so that its refusal is late
        CompletableFuture<LockHandle> acquiring = acquiring();
        awaitHeld(List.of(last));
        CompletableFuture<LockHandle> queued =
                NewThread.start(() -> others.acquire(LockRequest.of(last).lease(LEASE)));
        awaitWaiter(last);

        refusing.resume();

        LockHandle next = queued.get();
        assertThat(next.isHeld()).isTrue();
        next.close();
        other.close();
        acquiring.get().close();
        assertThat(keys).allMatch(this::isFree);
    }

    @Test
    void broken_lock_fails_the_request_and_leaves_the_others_free() {
        open(TestRedis.PATIENT);
        String broken = keys.get(5);
        masters.get(broken).ask(jedis -> jedis.del(redisKey(broken)));
        masters.get(broken).ask(jedis -> jedis.set(redisKey(broken), "a string"));

        assertThatThrownBy(() -> locks.acquire(all()))
                .isInstanceOfSatisfying(
                        LockStoreException.class,
                        e -> assertThat(e.outcomeUnknown()).isFalse())
                .hasMessageContaining("WRONGTYPE");

        assertThat(keys.stream().filter(key -> !key.equals(broken))).allMatch(this::isFree);
        masters.get(broken).ask(jedis -> jedis.del(redisKey(broken)));
    }

    // Nodes that hang, and replies that are lost.

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void node_that_hangs_fails_the_request_and_leaves_nothing_behind(int node) {
        open(IMPATIENT);
        node(node).pause();

        assertThatThrownBy(() -> locks.acquire(all())).isInstanceOf(LockStoreException.class);

        awaitFree(notOn(node(node)));
        node(node).resume(); // it now executes what it has received meanwhile
        awaitFree(keys);
        locks.acquire(all()).close();
    }

    @Test
    void nodes_that_hang_cost_one_command_timeout_together() throws Exception {
        open(IMPATIENT);
        RunningTime.withoutPause(() -> {
            node(0).pause();
            node(1).pause();
            long start = System.nanoTime();

            try {
                assertThatThrownBy(() -> locks.acquire(all())).isInstanceOf(LockStoreException.class);
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ABOUT_ONE_TIMEOUT);
            } finally {
                node(0).resume();
                node(1).resume();
            }
        });
        awaitFree(keys);
    }

    /** The client learns of the moves by the redirections. */
    @Test
    void node_that_hangs_costs_one_command_timeout_for_all_calls_that_are_redirected_to_it() {
        open(IMPATIENT);
        List<String> moved = Stream.of(node(0), node(1))
                .map(node -> on(node).get(0))
                .sorted()
                .toList();
        moved.forEach(key -> cluster.migration(RedisClusterProcesses.slot(redisKey(key)), node(2))
                .begin()
                .finish());
        node(2).pause();
        Duration start = RunningTime.now();

        assertThatThrownBy(() ->
                        locks.acquire(LockRequest.ofAll(moved).lease(LEASE).waitFor(Duration.ofMinutes(1))))
                .isInstanceOf(LockStoreException.class);

        assertThat(RunningTime.now().minus(start)).isLessThan(ABOUT_ONE_TIMEOUT);
    }

    /** A hand-over in order would use up tokens. */
    @Test
    void refusal_after_which_no_time_is_left_is_not_followed_by_another_try() throws Exception {
        open(TestRedis.PATIENT);
        Duration waitFor = Duration.ofSeconds(2);
        String held = keys.get(keys.size() - 1);
        ServerNode refusing = masters.get(held);
        LockHandle other = others.acquire(LockRequest.of(held).lease(LEASE));
        refusing.pause();
        CompletableFuture<Optional<LockHandle>> acquiring =
                NewThread.start(() -> locks.tryAcquire(all().waitFor(waitFor)));
        awaitHeld(notOn(refusing));
        long start = System.nanoTime();
        List<String> tokens = tokens(notOn(refusing));
        Awaitility.await().until(() -> System.nanoTime() - start > waitFor.toNanos());

        refusing.resume();

        assertThat(acquiring.get()).isEmpty();
        other.close();
        assertThat(keys).allMatch(this::isFree);
        assertThat(tokens(notOn(refusing))).isEqualTo(tokens);
    }

    private List<String> tokens(List<String> some) {
        return some.stream()
                .map(key -> masters.get(key).ask(jedis -> jedis.hget(redisKey(key), "token")))
                .toList();
    }

    @Test
    void refusal_names_the_lock_and_its_holder() {
        open(TestRedis.PATIENT);
        LockHandle other = others.acquire(LockRequest.of(keys.get(4)).lease(LEASE));

        assertThat(store.acquireAll(requests(true))).isInstanceOfSatisfying(AcquireAllReply.Refused.class, refused -> {
            assertThat(refused.index()).isEqualTo(4);
            assertThat(refused.reply()).isInstanceOfSatisfying(AcquireReply.Held.class, reply -> {
                assertThat(reply.holder()).isPresent();
                assertThat(reply.resent()).isFalse();
            });
        });
        other.close();
        assertThat(keys).allMatch(this::isFree);
    }

    @Test
    void nodes_that_hang_delay_the_release_by_one_command_timeout_together_and_not_that_of_others() throws Exception {
        open(IMPATIENT);
        RunningTime.withoutPause(() -> {
            LockHandle handle = locks.acquire(all());
            node(0).pause();
            node(1).pause();
            long start = System.nanoTime();

            try {
                handle.close();
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ABOUT_ONE_TIMEOUT);
                assertThat(on(node(2))).allMatch(this::isFree);
            } finally {
                node(0).resume();
                node(1).resume();
            }
        });
        awaitFree(keys);
    }

    /** It carries out no calls, and keeps the connections open, on which it receives them. */
    private static void hold(int node) {
        node(node).ask(jedis -> jedis.clientPause(60_000, ClientPauseMode.WRITE));
    }

    private static void breakConnections(int node) {
        node(node)
                .ask(jedis -> jedis.clientKill(
                        new ClientKillParams().type(ClientType.NORMAL).skipMe(ClientKillParams.SkipMe.YES)));
        node(node).ask(Jedis::clientUnpause);
    }

    private boolean isCancelled(String key) {
        return masters.get(key).ask(jedis -> jedis.hkeys(redisKey(key))).stream()
                .anyMatch(field -> field.startsWith("grave:"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void calls_to_a_node_whose_connection_breaks_are_sent_again(int node) throws Exception {
        open(TestRedis.PATIENT);
        hold(node);
        CompletableFuture<LockHandle> acquiring = acquiring();
        awaitHeld(notOn(node(node)));
        breakConnections(node);

        LockHandle handle = acquiring.get();

        assertThat(handle.isHeld()).isTrue();
        handle.close();
        awaitFree(keys);
        Awaitility.await() // because the first send may still arrive
                .until(() -> on(node(node)).stream().allMatch(this::isCancelled));
        assertThat(notOn(node(node))).noneMatch(this::isCancelled);
    }

    @Test
    void refused_calls_that_were_sent_twice_are_cancelled() throws Exception {
        open(TestRedis.PATIENT);
        String held = on(node(1)).get(0);
        LockHandle other = others.acquire(LockRequest.of(held).lease(LEASE));
        hold(0);
        CompletableFuture<LockHandle> acquiring = acquiring();
        awaitHeld(notOn(node(0)));
        breakConnections(0);

        awaitWaiter(held);
        awaitFree(keys.stream().filter(key -> key.compareTo(held) > 0).toList());
        Awaitility.await().until(() -> on(node(0)).stream().allMatch(this::isCancelled));
        other.close();
        acquiring.get().close();
        awaitFree(keys);
    }

    /**
     * The node rejects releases, and nothing else: the acquisition that follows in order may find a lock that is not undone yet, and then
     * has to poll for it.
     */
    @Test
    void locks_that_could_not_be_given_back_are_undone() throws Exception {
        open(TestRedis.PATIENT);
        String held = on(node(1)).get(0);
        LockHandle other = others.acquire(LockRequest.of(held).lease(LEASE));
        rejectReleases(node(0));

        CompletableFuture<LockHandle> acquiring = acquiring();

        awaitWaiter(held);
        awaitFree(keys.stream().filter(key -> key.compareTo(held) > 0).toList());
        Awaitility.await().until(() -> on(node(0)).stream().allMatch(this::isCancelled));
        node(0).ask(jedis -> jedis.aclSetUser("default", "+eval"));
        other.close();
        acquiring.get().close();
        awaitFree(keys);
    }

    private static void rejectReleases(ServerNode node) {
        node.ask(Jedis::scriptFlush);
        for (LuaScript script : EnumSet.complementOf(EnumSet.of(LuaScript.RELEASE, LuaScript.RELEASE_ALL))) {
            node.ask(jedis -> jedis.scriptLoad(LuaSources.get(script, "text")));
            node.ask(jedis -> jedis.scriptLoad(LuaSources.get(script, "shardedText")));
        }
        node.ask(jedis -> jedis.aclSetUser("default", "-eval"));
    }

    @Test
    void rejection_after_which_locks_could_not_be_given_back_leaves_the_outcome_unknown() {
        open(TestRedis.PATIENT);
        String broken = on(node(1)).get(0);
        node(1).ask(jedis -> jedis.del(redisKey(broken)));
        node(1).ask(jedis -> jedis.set(redisKey(broken), "a string"));
        rejectReleases(node(0));

        assertThatThrownBy(() -> store.acquireAll(requests(true)))
                .isInstanceOfSatisfying(
                        LockStoreException.class,
                        e -> assertThat(e.outcomeUnknown()).isTrue())
                .hasMessageContaining("WRONGTYPE");

        assertThat(on(node(0))).noneMatch(this::isFree);
        node(1).ask(jedis -> jedis.del(redisKey(broken)));
    }

    // Scripts and slots.

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void node_that_forgot_the_scripts_gets_their_texts(int node) {
        open(TestRedis.PATIENT);

        node(node).ask(Jedis::scriptFlush);
        LockHandle handle = locks.acquire(all());
        assertThat(keys).noneMatch(this::isFree);
        node(node).ask(Jedis::scriptFlush);
        handle.close();

        assertThat(keys).allMatch(this::isFree);
    }

    /** With one connection to each node: a redirected call must not wait for a connection that its own thread keeps. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void calls_for_slots_that_move_follow_them(int node) {
        open(TestRedis.PATIENT.withMaxConnections(1));
        String moving = on(node(node)).get(0);
        SlotMigration migration = cluster.migration(RedisClusterProcesses.slot(redisKey(moving)));
        migration.begin();
        node(node).ask(jedis -> jedis.del(redisKey(moving))); // so that it is created on the other side
        assertGrantedAndReleased(store, requests(true));

        migration.finish();
        assertGrantedAndReleased(store, requests(true));
        assertGrantedAndReleased(store, requests(true));
    }

    // Connections.

    /** A thread keeps its connection to one node while it waits for one to the next. */
    @Test
    void threads_with_one_connection_to_each_node_do_not_wait_for_each_other() {
        open(TestRedis.PATIENT.withMaxConnections(1));
        int threads = 6;
        List<CompletableFuture<Void>> running = IntStream.range(0, threads)
                .mapToObj(i -> NewThread.<Void>start(() -> {
                    for (int n = 0; n < 50; n++) {
                        List<AcquireRequest> own = new ArrayList<>();
                        for (String key : keys) {
                            own.add(Requests.exclusive(
                                    LockKey.of(key + ":" + i),
                                    new OwnerId("client" + i, sequences.incrementAndGet()),
                                    LEASE.toMillis(),
                                    HERE,
                                    true));
                        }
                        assertGrantedAndReleased(store, own);
                    }
                    return null;
                }))
                .toList();

        assertThat(running).allSatisfy(each -> assertThat(each).succeedsWithin(Duration.ofMinutes(1)));
    }

    /** One connection to each node: if one were not given back, no later call could use it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void error_while_calls_are_sent_to_a_node_leaves_all_connections_usable(int sentBefore) {
        RedisLockSettings settings = TestRedis.PATIENT.withMaxConnections(1);
        RedisConnectionFactory factory = TestRedis.Client.JEDIS.connect(cluster.address());
        AtomicInteger untilError = new AtomicInteger(Integer.MAX_VALUE);
        Thread caller = Thread.currentThread(); // the store's own threads use the template, too
        RedisTemplate<byte[], byte[]> failing = new RedisTemplate<>() {
            @Override
            public <T> T execute(RedisCallback<T> action, boolean exposeConnection) {
                if (Thread.currentThread() == caller && untilError.getAndDecrement() == 0) {
                    throw new OutOfMemoryError("on purpose");
                }
                return super.execute(action, exposeConnection);
            }
        };
        failing.setConnectionFactory(RedisLockStore.template(factory, settings).getConnectionFactory());
        failing.setDefaultSerializer(RedisSerializer.byteArray());
        failing.afterPropertiesSet();
        opened.add(() -> TestRedis.destroy(factory));
        RedisLockStore broken = new RedisLockStore(failing, settings);
        opened.add(0, broken);
        open(TestRedis.PATIENT);
        assertGrantedAndReleased(broken, requests(true));
        List<AcquireRequest> requests = requests(true);
        untilError.set(sentBefore);

        assertThatThrownBy(() -> broken.acquireAll(requests)).isInstanceOf(OutOfMemoryError.class);

        broken.releaseAll(releases(requests)).forEach(LockStore.Pending::await);
        assertThat(keys).allMatch(this::isFree);
        assertGrantedAndReleased(broken, requests(true));
    }

    /** The engine then repeats all of them, without a thread's interrupt. */
    @Test
    void releases_that_an_interrupt_has_broken_fail_together() throws Exception {
        open(TestRedis.PATIENT.withMaxConnections(1));
        List<AcquireRequest> requests = requests(true);
        assertThat(store.acquireAll(requests)).isInstanceOf(AcquireAllReply.Granted.class);
        LockStore.Pending<AcquireReply> other = store.beginAcquire(Requests.exclusive(
                LockKey.of(on(node(1)).get(0)), new OwnerId("other", 1), LEASE.toMillis(), HERE, false));
        AtomicReference<LockStoreException> thrown = new AtomicReference<>();
        Thread releasing = new Thread(() -> {
            try {
                store.releaseAll(releases(requests));
            } catch (LockStoreException e) {
                thrown.set(e);
            }
        });

        releasing.start();
        NewThread.stateAtRest(releasing); // waits for the only connection to that node
        releasing.interrupt();
        releasing.join();

        assertThat(thrown.get()).isNotNull();
        assertThat(other.await()).isInstanceOf(AcquireReply.Held.class);
        store.releaseAll(releases(requests)).forEach(LockStore.Pending::await);
        assertThat(keys).allMatch(this::isFree);
    }
}
